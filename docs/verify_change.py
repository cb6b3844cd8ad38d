"""Recompute the digests of a change from its JSON and the GeoTIFF stacks that were ingested, by docs/provenance.md.
pip install numpy tifffile imagecodecs rfc8785
python verify_change.py change.json ndvi.tif mask.tif ...   # stacks and masks under the names that they were ingested by
"""
import functools, hashlib, json, pathlib, sys, numpy as np, rfc8785, tifffile

TYPES = {"int16": "<i2", "float32": "<f4", "float64": "<f8"}
LEFT_OUT = {"id", "aoi_ids", "created_at", "updated_at", "versions"}

def digest_of(change):
    content = {name: value for name, value in change.items() if name not in LEFT_OUT}
    content["provenance"] = {name: value for name, value in change["provenance"].items() if name != "digest"}
    content["provenance"]["collection"] = {name: change["provenance"]["collection"][name] for name in ("name", "metric")}
    return hashlib.sha256(rfc8785.dumps(content)).hexdigest()

@functools.cache
def bands_of(name):
    page = tifffile.TiffFile(files.get(name) or sys.exit(f"Give the file {name} too")).pages[0]
    bands = np.moveaxis(page.asarray(), -1, 0) if page.axes == "YXS" else page.asarray()
    return bands.reshape(-1, page.imagelength, page.imagewidth)

def is_masked(mask, encoding):
    raw, size = np.nan_to_num(np.floor(mask)).astype(np.int64), 1 << encoding["bits"]
    raw = np.where(raw < 0, raw + size, raw)
    hidden = (mask != np.floor(mask)) | (raw < 0) | (raw >= size)
    for test in encoding["masked"]:
        field = (raw >> test["bit"]) & ((1 << test["width"]) - 1)
        hidden |= (field >= test["from"]) & (field <= test["to"])
    return hidden

def sha256_of(scene, series, reading, encodings):
    name, _, band = scene["href"].partition("#band=")  # a file of one date has no number
    samples = bands_of(name)[int(band or 1) - 1].astype(TYPES[series["sample_type"]])
    hidden = np.isnan(samples)
    if reading["nodata"] is not None:
        hidden |= samples == (np.float32 if series["sample_type"] == "float32" else float)(reading["nodata"])
    if "valid_range" in reading:
        hidden |= (samples < reading["valid_range"][0]) | (samples > reading["valid_range"][1])
    if reading["mask"] is not None:
        mask, encoding = bands_of(reading["mask"]["file"])[int(band or 1) - 1], reading["mask"]["encoding"]
        hidden |= mask != 0 if encoding == "nonzero" else is_masked(mask, encodings[encoding])
    samples[hidden] = -32768 if series["sample_type"] == "int16" else np.nan
    return hashlib.sha256(samples.tobytes()).hexdigest()

len(sys.argv) > 2 or sys.exit(__doc__)
change, files = json.loads(pathlib.Path(sys.argv[1]).read_text("utf-8")), {pathlib.Path(f).name: f for f in sys.argv[2:]}
provenance = change["provenance"]
if provenance.get("digest_recipe") != 2:
    sys.exit("This change was stated by a release before 1.4.0: only `groundwatch verify` checks it")
series = {each["metric"]: each for each in provenance.get("series", [])}
agree = [digest_of(change) == provenance["digest"]]
print("digest", provenance["digest"], "agrees" if agree[0] else "DIFFERS")
for scene in provenance["scenes"]:
    metric = scene.get("metric", provenance["collection"]["metric"])
    reading = scene.get("reading", series.get(metric, {"reading": None})["reading"])
    is_known = reading is not None and "computed" not in reading
    agree.append(is_known and sha256_of(scene, series[metric], reading, provenance["mask_encodings"]) == scene["sha256"])
    print("scene", scene["id"], metric, "agrees" if agree[-1] else "DIFFERS" if is_known else "CANNOT BE CHECKED")
sys.exit(0 if all(agree) else f"{sum(agree)} of {len(agree)} agree")
