"""Builds the wheel and the source archive of the Python package.

Usage: python python/build.py FOLDER

The Python needs what requirements-build.txt lists (pip install -r python/requirements-build.txt). The package
`groundwatch.api` is generated from openapi.json: it is in the archives and not in the repository.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
JSON_TYPES = ["array", "boolean", "number", "object", "string", "null"]


def main(target: Path) -> None:
    version = json.loads((HERE.parent / "package.json").read_text())["version"]
    with tempfile.TemporaryDirectory() as made:
        work = Path(made) / "python"
        shutil.copytree(HERE, work, ignore=shutil.ignore_patterns("api", "__pycache__", "dist"))
        project = work / "pyproject.toml"
        project.write_text(re.sub(r'(?m)^version = .*$', f'version = "{version}"', project.read_text()))
        document = Path(made) / "openapi.json"
        document.write_text(json.dumps(readable(json.loads((HERE.parent / "openapi.json").read_text()))))
        config = Path(made) / "config.json"
        config.write_text(json.dumps({"post_hooks": [], "literal_enums": True}))
        generate = ["generate", "--path", document, "--meta", "none", "--config", config]
        run("openapi_python_client", *generate, "--output-path", work / "src/groundwatch/api")
        run("build", "--no-isolation", "--outdir", target.resolve(), work)


def readable(value: object) -> object:
    """
    The document in the words of the generator, which knows neither bytes of pictures nor the `not` by which the document
    states constants and lists of types (src/contract/openapi/schemas.ts).
    """
    if isinstance(value, list):
        return [readable(item) for item in value]
    if not isinstance(value, dict):
        return value
    kept = dict(value)
    refused = kept.pop("not", None)
    if refused is not None and "const" in refused:
        kept["const"] = not refused["const"]
    elif refused is not None:
        kept["type"] = [name for name in JSON_TYPES if name not in refused["type"]]
    if isinstance(kept.get("content"), dict):
        media = kept["content"]
        json_media = {name: item for name, item in media.items() if name == "application/json"}
        kept["content"] = json_media or {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}
    return {name: readable(item) for name, item in kept.items()}


def run(module: str, *arguments: object) -> None:
    subprocess.run([sys.executable, "-m", module, *map(str, arguments)], check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
