"""``assay init``, ``serve``, ``doctor`` and ``models``: the installation itself."""

from __future__ import annotations

from typing import Annotated

import typer

from appliance.cli.ingesting import JsonOption
from appliance.cli.output import print_json, print_table, say
from appliance.cli.session import CONFIG_NAME, interruptible, session_of

models_group = typer.Typer(help="Model weights.", no_args_is_help=True)
FAILED = 1


def register(app: typer.Typer) -> None:
    """Add the commands and the group."""
    app.command()(init)
    app.command()(serve)
    app.command()(doctor)
    app.add_typer(models_group, name="models")


def init(context: typer.Context) -> int:
    """Make the data folder, with a config.toml of all keys, commented out, to change."""
    session = session_of(context)
    with session.appliance() as appliance:
        folder = appliance.config.data_dir()
    file = session.config_file or folder / CONFIG_NAME
    say(f"data folder: {folder}")
    if not file.exists():
        file.write_text(_template(), "utf-8")
    say(f"configuration: {file}")
    return 0


def _template() -> str:
    from appliance.config import REPOSITORY

    default = REPOSITORY / "configs" / "default.toml"
    lines = default.read_text("utf-8").splitlines() if default.is_file() else ["# no template was shipped"]
    return (
        "\n".join(line if not line or line.startswith(("#", "[")) else f"# {line}" for line in lines) + "\n"
    )


def serve(context: typer.Context) -> int:
    """Serve the HTTP API and the console until Ctrl-C."""
    from appliance.app import serve as serve_appliance

    with session_of(context).appliance() as appliance:
        serve_appliance(appliance)
    return 0


def doctor(context: typer.Context, json: JsonOption = False) -> int:
    """Check every part of the installation, and say what to do about a failing one."""
    from appliance.doctor import Check, State, examine

    config = session_of(context).config()
    found: list[Check] = []
    for check in examine(config):
        found.append(check)
        if not json:
            style = {"ok": "green", "warn": "yellow", "fail": "bold red"}[check.state.value]
            advice = f" → {check.advice}" if check.advice else ""
            say(f"{check.state.value:<4} {check.name}: {check.detail}{advice}", style=style)
    if json:
        print_json(found)
    return FAILED if any(check.state is State.FAIL for check in found) else 0


@models_group.command("list")
def list_models(context: typer.Context, json: JsonOption = False) -> int:
    """List the models of the manifest and whether they are here."""
    from models.manifest import installed, load_manifest

    manifest, folder = load_manifest(), session_of(context).config().models_dir()
    rows = [
        {
            "name": model.name,
            "role": model.role,
            "bytes": model.bytes,
            "licence": model.licence,
            "languages": model.languages,
            "sha256": model.digest,
            "installed": installed(model.name, folder, manifest),
        }
        for model in manifest.models
    ]
    if json:
        print_json(rows)
    else:
        cells = [
            (r["name"], r["role"], f"{r['bytes']:,}", r["licence"], "here" if r["installed"] else "not here")
            for r in rows
        ]
        print_table(("model", "role", "bytes", "licence", ""), cells)
    return 0


@models_group.command()
def verify(
    context: typer.Context,
    names: Annotated[list[str] | None, typer.Argument(help="Default: those that are here.")] = None,
    json: JsonOption = False,
) -> int:
    """Take the sha256 of the model files again."""
    import os

    from models.manifest import load_manifest, stamp
    from models.manifest import verify as verify_model

    manifest, folder = load_manifest(), session_of(context).config().models_dir()
    chosen = names or [model.name for model in manifest.models if (folder / model.name).is_dir()]
    problems: dict[str, list[str]] = {}
    with interruptible() as cancelled:
        for name in chosen:
            if cancelled():
                raise typer.Abort
            problems[name] = verify_model(name, folder, manifest)
            if not problems[name] and os.access(folder / name, os.W_OK):
                stamp(name, folder, manifest)
    if json:
        print_json(problems)
    else:
        for name, wrong in problems.items():
            say(f"{name}: {'; '.join(wrong) or 'ok'}")
        if not problems:
            say(f"no models in {folder} → run ./install.sh")
    return FAILED if any(problems.values()) or not problems else 0
