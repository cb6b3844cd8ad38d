"""Claims of the Mahalanobis distance of OPERA DIST-S1 (PyPI: distmetrics) in two polarisations.

For each look of each orbit, the distance is computed to the ten looks of the same orbit that end 120 days before, each
despeckled by total variation where scikit-image is there, as the peer does. A pixel is claimed when its last three
looks of both orbits are all beyond a threshold. Prints {name: [[pixel, ms], ...]} for several thresholds.
"""
import importlib.util
import json
import sys
from pathlib import Path

import numpy as np

PRE, GAP_MS, RUN = 10, 120 * 86_400_000, 3
THRESHOLDS = (2.5, 3.0, 3.5, 4.0, 5.0)


def part(name):
    """One module of distmetrics: the package itself needs torch."""
    root = importlib.util.find_spec('distmetrics').submodule_search_locations[0]
    spec = importlib.util.spec_from_file_location(f'dist_{name}', Path(root) / f'{name}.py')
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


mahalanobis = part('mahalanobis')
try:
    despeckle = part('despeckle').despeckle_one_rtc_arr_with_tv
except ImportError:
    despeckle = lambda power: power  # noqa: E731

given = json.load(open(sys.argv[1]))
side, times = given['side'], np.array(given['times'])
stacks = {}
for metric, values in given['series'].items():
    cube = np.array([np.nan if v is None else v for v in values], dtype=np.float32).reshape(side * side, len(times))
    seen = ~np.isnan(cube[0])
    images = [despeckle(10 ** (cube[:, t].reshape(side, side) / 10)) for t in np.flatnonzero(seen)]
    stacks[metric] = (times[seen], [10 * np.log10(image) for image in images])

looks = []
for orbit in ('98', '171'):
    when, vh = stacks[f'vh_orbit_{orbit}']
    vv = stacks[f'vv_orbit_{orbit}'][1]
    for i, now in enumerate(when):
        pre = [k for k in range(i) if when[k] <= now - GAP_MS][-PRE:]
        if len(pre) < PRE:
            continue
        told = mahalanobis.compute_mahalonobis_dist_2d([vv[k] for k in pre], [vh[k] for k in pre], vv[i], vh[i])
        looks.append((now, np.asarray(told.dist).ravel()))
looks.sort(key=lambda look: look[0])
claims = {}
for threshold in THRESHOLDS:
    run = np.zeros(side * side, dtype=int)
    first = {}
    for now, distance in looks:
        run = np.where(distance > threshold, run + 1, 0)
        for pixel in np.flatnonzero(run >= RUN):
            first.setdefault(int(pixel), float(now))
    claims[f'distmetrics, beyond {threshold}'] = sorted(first.items())
print(json.dumps(claims))
