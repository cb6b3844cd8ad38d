"""Speeds of nrt on series that bench/monitor.ts wrote: one line of JSON, 10^6 pixels a second in the fastest run."""
import datetime
import json
import sys
import time
from importlib.metadata import version

import numpy as np
import xarray as xr
from nrt.fit_methods import roc_stable_fit
from nrt.monitor.ewma import EWMA
from nrt.monitor.mosum import MoSum
from nrt.stats import nanlstsq

PATIENCE_S = 4
ROC_PIXELS = 64
FIT_PIXELS = 512

folder = sys.argv[1]
times, columns, side, history = map(int, sys.argv[2:])
design = np.fromfile(f"{folder}/design.f64").reshape(times, columns)
raw = np.fromfile(f"{folder}/series.i16", dtype=np.int16).reshape(side * side, times)
series = np.where(raw == -32768, np.nan, raw).T.copy()
dates = np.datetime64("2015-01-01") + np.arange(times) * 16


def best(pixels, work):
    """Return the time of the fastest run, after a first run that compiles."""
    work()
    fastest = float("inf")
    until = time.perf_counter() + PATIENCE_S
    while time.perf_counter() < until:
        begun = time.perf_counter()
        work()
        fastest = min(fastest, time.perf_counter() - begun)
    return pixels / fastest / 1e6


fit_part = np.ascontiguousarray(series[:, :FIT_PIXELS])
roc_part = np.ascontiguousarray(series[:, :ROC_PIXELS])
days = (dates - np.datetime64("1970-01-01")).astype("timedelta64[D]").astype(np.int64)
cube = xr.DataArray(
    series[:history].reshape(history, side, side),
    dims=("time", "y", "x"),
    coords={"time": dates[:history].astype("datetime64[ns]"), "y": np.arange(side), "x": np.arange(side)},
)


def update_speed(monitor):
    """Return the speed of the updates with the scenes after the history."""
    monitor.fit(dataarray=cube, method="OLS")
    spent = []
    for t in range(history, times):
        scene = series[t].reshape(side, side)
        date = datetime.datetime.fromisoformat(str(dates[t]))
        begun = time.perf_counter()
        monitor.monitor(array=scene, date=date)
        spent.append(time.perf_counter() - begun)
    return side * side / min(spent) / 1e6


print(
    json.dumps(
        {
            "version": version("nrt"),
            "numba": version("numba"),
            "leastSquares": best(FIT_PIXELS, lambda: nanlstsq(design, fit_part)),
            "stableHistory": best(ROC_PIXELS, lambda: roc_stable_fit(design, roc_part, days)),
            "ewma": update_speed(EWMA(trend=True, harmonic_order=2)),
            "mosum": update_speed(MoSum(trend=True, harmonic_order=2)),
        }
    )
)
