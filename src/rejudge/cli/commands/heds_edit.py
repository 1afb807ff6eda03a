"""rejudge heds edit: complete a datasheet in the browser."""

from __future__ import annotations

from pathlib import Path

import click

from rejudge.cli.console import Outcome, print_outcome


@click.command("edit")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    show_default=True,
    help="Port on this machine; 0 picks a free one.",
)
@print_outcome
def edit(file: Path, *, port: int) -> Outcome:
    """Open a page on this machine to complete the datasheet in FILE.

    Each answer is saved to FILE as soon as it is given. Only this machine can open the page, and
    only with the address that is printed. Runs until stopped with Ctrl-C.
    """
    from rich.text import Text

    from rejudge.web.datasheet_editor import DatasheetEditor, open_sheet_file
    from rejudge.web.serving import bind_socket, serve_app

    editor = DatasheetEditor(open_sheet_file(file))
    taken = bind_socket("127.0.0.1", port)
    address = f"http://127.0.0.1:{taken.getsockname()[1]}/{editor.token}/"
    shown = (
        Text(f"Editing {file}", "bold"),
        f"Open {address}",
        Text("Answers are saved as they are given. Stop it with Ctrl-C.", "dim"),
    )
    document = {"file": str(file), "address": address}
    return Outcome(document, shown, afterwards=lambda: serve_app(editor.app, taken))
