"""Runs the methods of the public library nrt on the stacks that bench/accuracy/detections/reference-rows.ts wrote.

Input: FOLDER/jobs.json, a list of {times: [ISO date], pixels, from, until}, where the scenes [from, until) are the
history and all scenes from `until` on are monitored; FOLDER/N.f32 holds the values of job N, pixel by pixel.
Output: FOLDER/detections.json: for each method and job, [pixel, scene] of each break that the mask holds at the end.
The folder is the only argument.
"""
import json
import sys
import warnings

import numpy as np
import pandas as pd
import xarray as xr

from nrt.monitor.cusum import CuSum
from nrt.monitor.ewma import EWMA
from nrt.monitor.iqr import IQR
from nrt.monitor.mosum import MoSum

warnings.simplefilter("ignore")
np.seterr(all="ignore")
BREAK = 3  # value of nrt's mask: confirmed break
# One harmonic without a trend: a trend fitted to one or two years is wrong soon after them. Sensitivities are nrt's
# defaults but for EWMA, whose default of 2 calls nearly every stable pixel of the conversions changed (3: three of
# four, 5: one of four), and whose screen drops residuals of two standard deviations, which a clearing exceeds.
MODEL = {"trend": False, "harmonic_order": 1}
METHODS = {
    "EWMA": lambda: EWMA(sensitivity=5, threshold_outlier=1e6, **MODEL),
    "CuSum": lambda: CuSum(**MODEL),
    "MOSUM": lambda: MoSum(**MODEL),
    "IQR": lambda: IQR(**MODEL),
}


def same_sign(name, monitor):
    """Give the state after the fit the sign of the residuals of monitoring.

    nrt fits with predicted - observed and monitors with observed - predicted.
    """
    if name == "MOSUM":
        monitor.window = -monitor.window
    elif name == "IQR":
        monitor.q25, monitor.q75 = -monitor.q75, -monitor.q25
    else:
        monitor.process = -monitor.process


def breaks(name, job, values):
    """Return [pixel, scene] of each pixel whose mask is a break after the last scene."""
    times = pd.to_datetime(job["times"])
    first, until = job["from"], job["until"]
    history = xr.DataArray(
        values[first:until, None, :],
        dims=("time", "y", "x"),
        coords={"time": times[first:until], "y": [0], "x": np.arange(job["pixels"])},
    )
    monitor = METHODS[name]()
    try:
        monitor.fit(dataarray=history, method="OLS")
    except ValueError:  # no pixel has enough observations in the history
        return []
    same_sign(name, monitor)
    scene_of = {}
    for t in range(until, len(times)):
        before = monitor.mask.copy()
        monitor.monitor(array=values[t][None, :].astype(np.float64), date=times[t].to_pydatetime())
        for pixel in np.flatnonzero((monitor.mask != before)[0]):
            scene_of[int(pixel)] = t
    return [[int(p), scene_of[int(p)]] for p in np.flatnonzero(monitor.mask[0] == BREAK) if int(p) in scene_of]


folder = sys.argv[1]
with open(f"{folder}/jobs.json") as file:
    jobs = json.load(file)
found = {name: [] for name in METHODS}
for number, job in enumerate(jobs):
    values = np.fromfile(f"{folder}/{number}.f32", dtype=np.float32).reshape(job["pixels"], len(job["times"])).T
    for name in METHODS:
        found[name].append(breaks(name, job, np.ascontiguousarray(values)))
with open(f"{folder}/detections.json", "w") as file:
    json.dump(found, file)
