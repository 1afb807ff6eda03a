"""Where the parameters of a simulation come from: options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from rejudge.cli.console import Outcome
from rejudge.cli.folders import collect_pilot_judgments
from rejudge.english import did_you_mean
from rejudge.errors import FileError, Problem, UsageError

if TYPE_CHECKING:
    from rejudge.simulate.parameters import Parameters, ParameterSet
    from rejudge.simulate.pilot import Pilot
    from rejudge.study.model import Study

F = TypeVar("F", bound=Callable[..., Any])  # any command's function

LIST = "list"
_TEXTS = {".yaml", ".yml"}
_OPTIONS = (
    click.option(
        "--parameters",
        "parameter_file",
        metavar="FILE",
        type=click.Path(path_type=Path),
        help="Read parameters from a YAML file; `rejudge simulate STUDY --show` prints one to "
        "start from.",
    ),
    click.option(
        "--from",
        "parameter_source",
        metavar="PILOT|PAPER",
        help="Estimate parameters from a pilot (a study folder, results or a table of judgments), "
        "or from a paper's printed means and standard deviations (a paper.yaml, or the id of a "
        "paper that comes with rejudge).",
    ),
    click.option(
        "--preset",
        metavar="NAME",
        help="Use the parameters of a published study; --preset list shows all.",
    ),
    click.option(
        "--set",
        "settings",
        metavar="[QUESTION.]KEY=NUMBER",
        multiple=True,
        help="Change one parameter, such as noise=0.5, fluency.severity=1 or quality.SYSTEM=0.3; "
        "repeatable.",
    ),
)


def parameter_options(function: F) -> F:
    """Give a command --parameters, --from, --preset and --set."""
    for option in reversed(_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True, slots=True)
class ParameterOptions:
    """The values of these options."""

    parameter_file: Path | None = None
    parameter_source: str | None = None
    preset: str | None = None
    settings: tuple[str, ...] = ()

    def read(self, study: Study) -> ParameterSet:
        """The parameters for a study."""
        from rejudge.simulate.sources import read_parameters

        self._refuse_several()
        given = self.parameter_source
        if self.parameter_file is not None:
            found = _read_file(study, self.parameter_file)
        elif given is not None and is_paper(given):
            from rejudge.files.step_files import open_paper

            found = read_parameters(study, paper=open_paper(given))
        elif given is not None:
            found = read_parameters(study, pilot=read_pilot(Path(given)))
        else:
            found = read_parameters(study, preset=self.preset)
        return _with_settings(study, found, self.settings)

    def _refuse_several(self) -> None:
        named = {
            "--parameters": self.parameter_file,
            "--from": self.parameter_source,
            "--preset": self.preset,
        }
        given = [name for name, value in named.items() if value is not None]
        if len(given) > 1:
            what = f"{' and '.join(given)} cannot be combined."
            raise UsageError(Problem(what, "Give only one source of parameters."))


def _read_file(study: Study, path: Path) -> ParameterSet:
    from rejudge.incoming import TEXT_BYTES, decode, read_bytes
    from rejudge.simulate.sources import parse_parameters

    remedy = "`rejudge simulate STUDY --show > parameters.yaml` prints one to start from."
    text = decode(read_bytes(path, remedy=remedy, limit=TEXT_BYTES), file=str(path))
    return parse_parameters(study, text, file=str(path))


def is_paper(name: str) -> bool:
    """Whether a name is that of a paper and not of a pilot."""
    from rejudge.files.step_files import is_shipped

    return Path(name).suffix.casefold() in _TEXTS or is_shipped(name)


def read_pilot(path: Path) -> Pilot:
    """The judgments of a study, of a folder that `rejudge analyse --out` wrote, or of a table."""
    from rejudge.files.step_files import JUDGMENTS, RESULTS, STUDY
    from rejudge.judgments.read import read_judgments
    from rejudge.simulate.pilot import Pilot

    if path.name == RESULTS:
        path = path.parent
    if not path.is_dir():
        return Pilot(str(path), read_judgments(path))
    if (path / STUDY).exists():
        study, plan, judgments = collect_pilot_judgments(path)
        return Pilot(str(path), judgments, study, plan)
    if (path / JUDGMENTS).exists():
        return Pilot(str(path), read_judgments(path / JUDGMENTS))
    raise FileError(
        Problem(
            f"there is neither {STUDY} nor {JUDGMENTS} in this folder.",
            "Give the folder of a study, or what `rejudge analyse --out` wrote.",
            file=str(path),
        )
    )


def _with_settings(study: Study, found: ParameterSet, settings: tuple[str, ...]) -> ParameterSet:
    """The same with the values that were set by hand."""
    from rejudge.simulate.parameters import for_each_question

    if not settings:
        return found
    by_question = dict(found.by_question)
    for text in settings:
        for question in _questions_of(study, text):
            by_question[question] = _with_setting(study, by_question[question], text)
    words = f"Set by hand: {', '.join(settings)}."
    return replace(
        found,
        by_question=for_each_question(study, by_question),
        assumptions=(*found.assumptions, words),
    )


def _questions_of(study: Study, text: str) -> list[str]:
    """The questions that a setting such as `fluency.noise=0.5` is about."""
    key = text.partition("=")[0].strip()
    head, separator, _ = key.partition("quality.")
    question = head.rstrip(".") if separator else key.rpartition(".")[0]
    asked = [each.id for each in study.spec.questions]
    if question and question not in asked:
        remedy = f"{did_you_mean(question, asked)} Its questions are {', '.join(asked)}.".strip()
        raise UsageError(Problem(f"--set {text}: there is no question '{question}'.", remedy))
    return [question] if question else asked


def _with_setting(study: Study, given: Parameters, text: str) -> Parameters:
    """The parameters of a question with one value that was set by hand."""
    from rejudge.simulate.parameters import NUMBERS

    key, _, number = text.partition("=")
    _, is_quality, system = key.strip().partition("quality.")
    name = key.strip().rpartition(".")[2]
    if is_quality and system not in study.system_ids:
        known = ", ".join(study.system_ids)
        remedy = f"{did_you_mean(system, study.system_ids)} Its systems are {known}.".strip()
        raise UsageError(Problem(f"--set {text}: there is no system '{system}'.", remedy))
    if not is_quality and name not in NUMBERS:
        known = ", ".join(("quality.SYSTEM", *NUMBERS))
        remedy = f"{did_you_mean(name, NUMBERS)} Known are {known}.".strip()
        raise UsageError(Problem(f"--set {text}: there is no parameter '{name}'.", remedy))
    try:
        value = float(number)
    except ValueError:
        what = f"--set {text} cannot be read."
        raise UsageError(Problem(what, f"Write a number, such as {key.strip()}=0.5.")) from None
    if not is_quality:
        return given.with_numbers({name: value})
    known_qualities = given.quality or dict.fromkeys(study.system_ids, 0.0)
    return given.with_quality({**known_qualities, system: value})


def list_presets() -> Outcome:
    """The presets with their sources."""
    from rich.text import Text

    from rejudge.simulate.sources import presets

    listed = presets()
    document = {
        "presets": [
            {
                "name": each.name,
                "source": each.source,
                "question": each.question,
                "judgments": each.judgments,
                "participants": each.participants,
                "items": each.items,
                "parameters": parameters_document(each.parameters, each.parameters.quality),
            }
            for each in listed
        ]
    }
    shown: list[Any] = []
    for each in listed:
        shown += [Text(each.name, "bold"), Text(f"  {each.question}"), Text(f"  {each.size}")]
        shown += [Text(f"  {each.source}")]
    return Outcome(document, tuple(shown))


def parameters_document(given: Any, quality: Any) -> dict[str, Any]:  # JSON values
    """Parameters for programs, by the names they have in parameters.yaml."""
    from rejudge.simulate.parameters import NUMBERS

    systems = [{"system": system, "value": value} for system, value in quality.items()]
    return {"quality": systems, **{name: getattr(given, name) for name in NUMBERS}}
