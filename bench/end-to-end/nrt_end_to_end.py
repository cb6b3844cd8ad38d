"""Finds breaks in a stack with a method of nrt: from the file to polygons, as bench/end-to-end.ts compares it.

Arguments: STACK.tif DATES.csv HISTORY METHOD. The first HISTORY scenes are fitted, the others are monitored one by one.
Prints one line of JSON: processor time and peak memory of this process, and for each polygon of breaks its number of
pixels and its box [first column, first row, last column, last row].
"""
import csv
import datetime
import json
import resource
import sys
import time
import warnings
from importlib.metadata import version

import numpy as np
import rasterio
import xarray as xr
from nrt.monitor.cusum import CuSum
from nrt.monitor.ewma import EWMA
from rasterio.features import shapes

warnings.simplefilter("ignore")
np.seterr(all="ignore")
BREAK = 3  # value of nrt's mask: confirmed break
# As in bench/accuracy/detections/nrt_rows.py, which says why.
MODEL = {"trend": False, "harmonic_order": 1}
METHODS = {
    "CuSum": lambda: CuSum(**MODEL),
    "EWMA": lambda: EWMA(sensitivity=5, threshold_outlier=1e6, **MODEL),
}

stack, dates, history, method = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4]
begun = time.perf_counter()
imported = time.process_time()
with open(dates) as file:
    times = [row["datetime"][:19] for row in csv.DictReader(file)]
with rasterio.open(stack) as source:
    raw = source.read()
    nodata = source.nodata
    scale = source.scales[0]
values = np.where(raw == nodata, np.nan, raw * np.float32(scale)).astype(np.float32)
del raw
monitor = METHODS[method]()
monitor.fit(
    dataarray=xr.DataArray(
        values[:history],
        dims=("time", "y", "x"),
        coords={
            "time": np.array(times[:history], dtype="datetime64[ns]"),
            "y": np.arange(values.shape[1]),
            "x": np.arange(values.shape[2]),
        },
    ),
    method="OLS",
)
# nrt fits with predicted - observed and monitors with observed - predicted.
monitor.process = -monitor.process
for t in range(history, len(times)):
    monitor.monitor(array=values[t].astype(np.float64), date=datetime.datetime.fromisoformat(times[t]))
found = []
flags = (monitor.mask == BREAK).astype(np.uint8)
for shape, _ in shapes(flags, mask=flags == 1):
    ring = np.array(shape["coordinates"][0])
    (left, top), (right, bottom) = ring.min(axis=0), ring.max(axis=0)
    area = 0.0
    for each in shape["coordinates"]:
        x, y = np.array(each).T
        area += np.sum(x[:-1] * y[1:] - x[1:] * y[:-1]) / 2
    found.append([round(abs(area)), int(left), int(top), int(right) - 1, int(bottom) - 1])
own = resource.getrusage(resource.RUSAGE_SELF)
print(
    json.dumps(
        {
            "version": version("nrt"),
            "processorS": own.ru_utime + own.ru_stime,
            "importS": imported,
            "wallS": time.perf_counter() - begun,
            "peakMb": own.ru_maxrss * 1024 / 1e6,
            "found": found,
        }
    )
)
