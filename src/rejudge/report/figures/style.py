"""How every figure looks, and its three formats: SVG for pages, PDF and PNG for print.

All lengths are in points of the printed figure. Colours are roles of the page (`ink`, `paper`,
`s1` …): in an SVG they are variables, so that a dark page has dark figures. What differs in colour
differs in pattern or shape as well. Widths are measured in DejaVu Sans, which comes with
matplotlib and is wider than the fonts that browsers use, so what fits here fits there.
"""

from __future__ import annotations

import io
import re
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, lru_cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

from rejudge.errors import DataError, Problem
from rejudge.layout.numbers import number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Transform

WIDTH = 174 / 25.4 * 72  # two columns of a paper
_PIXEL = WIDTH / 680  # a wide figure has 680 pixels on a page
PHONE = 358 * _PIXEL  # what a phone leaves for a figure
NARROW = 480 * _PIXEL  # below this width there is no room for names beside marks
SIZE = 8.7  # of letters
LINE = 10.5  # from line to line
EDGE = 3.0  # left free at both sides
SHADES = 8  # colours beside the ink
COLOURS = {
    "paper": "#ffffff", "ground": "#f5f6f8", "ink": "#1a1f26", "ink-2": "#4b5563",
    "line": "#858f9c", "hair": "#dde2e8", "accent": "#2b57c9",
    "s1": "#0072b2", "s2": "#d55e00", "s3": "#009e73", "s4": "#cc79a7",
    "s5": "#332288", "s6": "#999933", "s7": "#882255", "s8": "#44aa99",
}  # fmt: skip
INK, SOFT, HAIR, RULE, PAPER = (COLOURS[each] for each in ("ink", "ink-2", "hair", "line", "paper"))
STRONGEST = 0.5  # of a colour, so that letters can be read on it, on white and on dark pages
_MARKERS = "os^Dv"
HATCHES = ("", "////", "||||", "\\\\\\\\")
_TICKS = 6
_DOTS = "…"
_SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none", "svg.hashsalt": "rejudge", "pdf.fonttype": 42, "figure.dpi": 72,
    "font.enable_last_resort": False, "savefig.facecolor": PAPER,
    "text.parse_math": False, "font.size": SIZE, "font.family": ["DejaVu Sans"],
    "text.color": INK, "axes.labelcolor": SOFT, "xtick.color": RULE, "ytick.color": RULE,
    "xtick.labelcolor": SOFT, "ytick.labelcolor": SOFT, "axes.edgecolor": RULE,
    "axes.labelsize": SIZE, "xtick.labelsize": SIZE, "ytick.labelsize": SIZE,
    "xtick.major.size": 0, "ytick.major.size": 0, "xtick.major.pad": 4, "ytick.major.pad": 4,
    "grid.color": HAIR, "grid.linewidth": 0.75, "axes.axisbelow": True, "hatch.linewidth": 0.9,
    "axes.spines.left": False, "axes.spines.right": False, "axes.spines.top": False,
    "axes.spines.bottom": False, "axes.facecolor": "none", "axes.xmargin": 0, "axes.ymargin": 0,
    "lines.solid_capstyle": "butt",
}  # fmt: skip


def colour(shade: int) -> str:
    """The colour of a system: 0 is grey, below it is ink, beyond the last colour soft ink."""
    if shade <= 0:
        return RULE if shade == 0 else INK
    return COLOURS[f"s{shade}"] if shade <= SHADES else SOFT


def marker(shade: int, *, is_filled: bool = True) -> dict[str, Any]:
    """The mark of a shade, for `plot`: each of the first shades has a shape of its own."""
    tone = colour(shade)
    shape = _MARKERS[(shade - 1) % len(_MARKERS)] if shade > 0 else "o"
    look = {"mfc": tone, "mec": PAPER, "mew": 0.75} if is_filled else {"mfc": PAPER, "mec": tone}
    return {"marker": shape, "ms": 7.5, "ls": "", "zorder": 4, "mew": 1.4} | look


class PanelSheet:
    """A figure whose panels stand where their lengths in points say."""

    def __init__(self, width: float) -> None:
        from matplotlib.figure import Figure

        self.width = width
        self.is_narrow = width < NARROW
        self.figure: Figure = Figure(figsize=(width / 72, 1), dpi=72, facecolor=PAPER)
        self._panels: list[tuple[Axes, float, float, float, float]] = []

    def panel(self, left: float, top: float, right: float, bottom: float) -> Axes:
        """Axes between these places, from the upper left corner of the figure."""
        axes = self.figure.add_axes((0.0, 0.0, 1.0, 1.0), label=str(len(self._panels)))
        axes.patch.set_visible(False)
        self._panels.append((axes, left, top, right, bottom))
        return axes

    def rows(self, left: float, top: float, right: float, bottom: float) -> Axes:
        """Axes whose upright axis counts points from their top, for rows of marks and names."""
        axes = self.panel(left, top, right, bottom)
        axes.set_ylim(bottom - top, 0)
        axes.yaxis.set_visible(False)
        return axes

    def page(self, height: float) -> Axes:
        """Axes over the whole figure that count points from its upper left corner."""
        axes = self.rows(0, 0, self.width, height)
        axes.set_xlim(0, self.width)
        axes.set_axis_off()
        return axes

    def beside(self, axes: Axes) -> Transform:
        """Points from the left of the figure across, the upright axis of the panel down."""
        from matplotlib.transforms import blended_transform_factory

        return blended_transform_factory(self.figure.dpi_scale_trans, axes.transData)

    def write(self, axes: Axes, x: float, y: float, words: str, **look: Any) -> None:
        """Words at points from the left of the figure and a place of the upright axis."""
        settings: dict[str, Any] = {"va": "center_baseline", "transform": self.beside(axes)} | look
        axes.text(x / 72, y, " ".join(words.split()), **settings)

    def lines(self, axes: Axes, x: float, y: float, words: Sequence[str], **look: Any) -> None:
        """A name in one to three lines around a place."""
        first = LINE * (len(words) - 1) / 2
        self.stack(axes, (x / 72, y), self.beside(axes), words, first=first, **look)

    def above(self, axes: Axes, x: float, words: Sequence[str], **look: Any) -> None:
        """A name in one to four lines above a panel."""
        place = (self.figure.dpi_scale_trans, "axes fraction")
        first = 5 + LINE * (len(words) - 1)
        look = {"ha": "center", "va": "baseline"} | look
        self.stack(axes, (x / 72, 1), place, words, first=first, **look)

    def stack(
        self,
        axes: Axes,
        at: tuple[float, float],
        place: Any,  # what matplotlib takes for coordinates
        words: Sequence[str],
        *,
        first: float,
        **look: Any,
    ) -> None:
        """Each line as a text of its own, so that a browser aligns it by its own letters."""
        settings: dict[str, Any] = {"va": "center_baseline", "annotation_clip": False}
        settings |= {"weight": "bold"} | look
        for down, line in enumerate(words):
            axes.annotate(" ".join(line.split()), at, (0, first - down * LINE), xycoords=place,
                          textcoords="offset points", **settings)  # fmt: skip

    def below(self, axes: Axes, x: float, down: float, words: str, **look: Any) -> None:
        """Soft words so many points below a panel; centred ones keep within the figure."""
        settings = {"color": SOFT, "ha": "center", "va": "baseline"} | look
        if settings["ha"] == "center":
            x = self.centred(x, words)
        axes.annotate(words, (x / 72, 0), (0, -down), annotation_clip=False,
                      xycoords=(self.figure.dpi_scale_trans, "axes fraction"),
                      textcoords="offset points", **settings)  # fmt: skip

    def ends(self, axes: Axes) -> tuple[float, float]:
        """Where a panel begins and ends across."""
        _, left, _, right, _ = next(each for each in self._panels if each[0] is axes)
        return left, right

    def place(self, axes: Axes, value: float) -> float:
        """How far from the left of the figure a number stands."""
        left, right = self.ends(axes)
        scale = axes.xaxis.get_transform().transform
        low, at, high = scale([axes.get_xlim()[0], value, axes.get_xlim()[1]])
        return float(left + (right - left) * (at - low) / (high - low))

    def title(self, axes: Axes, words: str, down: float = 25.0) -> None:
        """The name of the axis across, below its numbers."""
        words = truncate(words, self.width - 2 * EDGE)
        self.below(axes, sum(self.ends(axes)) / 2, down, words)

    def centred(self, middle: float, words: str) -> float:
        """The middle of words once they are moved into the figure."""
        half = text_width(words) / 2 + 1
        return min(max(middle, half), self.width - half)

    def ticks_across(self, axes: Axes, places: Sequence[float], words: Sequence[str] = ()) -> None:
        """Numbers of the axis across, as many as have room."""
        labels = dict(zip(places, words or map(format_tick, places), strict=True))
        for step in range(1, len(places) + 1):
            chosen = places[::step]
            middles = [self.centred(self.place(axes, at), labels[at]) for at in chosen]
            halves = [text_width(labels[at]) / 2 + 3 for at in chosen]
            ends = zip(middles, halves, strict=True)
            if all(b - a >= c + d for (a, c), (b, d) in pairwise(ends)):
                break
        axes.set_xticks(chosen, [""] * len(chosen))
        for at, x in zip(chosen, middles, strict=True):  # the outermost keep within the figure
            self.below(axes, x, 12, labels[at])

    def finish(self, height: float) -> Figure:
        """The figure at this height, its panels in their places."""
        self.figure.set_size_inches(self.width / 72, height / 72)
        for each in self.figure.findobj():
            each.set_clip_on(False)  # marks at the ends of an axis are seen whole
        for axes, left, top, right, bottom in self._panels:
            axes.set_position(
                (left / self.width, 1 - bottom / height, (right - left) / self.width,
                 (bottom - top) / height)
            )  # fmt: skip
        return self.figure

    def legend(self, entries: Sequence[tuple[str, Any]]) -> float:
        """Names with their marks in rows at the top; gives the height they take."""
        room = self.width - 2 * EDGE - 26
        shown = [(truncate(name, room), mark) for name, mark in entries]
        wide = max(text_width(name) for name, _ in shown) + 40
        columns = max(1, min(len(shown), int((self.width - 2 * EDGE) / wide)))
        rows = -(-len(shown) // columns)
        height = rows * 15.0 + 4
        axes = self.page(height)
        axes.set_label("legend")
        for place, (name, mark) in enumerate(shown):
            x, y = EDGE + place % columns * wide, 9 + place // columns * 15.0
            mark(axes, x + 9, y)
            axes.text(x + 24, y, name, va="center_baseline")
        return height


def ticks(low: float, high: float, most: int = _TICKS) -> tuple[float, ...]:
    """Round numbers from low to high, about so many."""
    from matplotlib.ticker import MaxNLocator

    if not high - low > 1e-300:
        return (low,)
    found = MaxNLocator(most - 1, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    room = (high - low) * 1e-9
    inside = (float(f"{at:.12g}") for at in found if low - room <= at <= high + room)
    return tuple(at + 0.0 for at in inside)


def ticks_over(high: float, most: int = _TICKS) -> tuple[float, ...]:
    """Round numbers from 0 to the first that is not below `high`."""
    found = ticks(0, high, most)
    step = found[1] if len(found) > 1 else (high or 1.0)
    return found if found[-1] >= high else (*found, float(f"{found[-1] + step:.12g}"))


def draw_whisker(axes: Axes, ends: tuple[float, float], y: float, *, tone: str, lw: float) -> None:
    """An interval with its ends, in a panel of rows; it keeps within the axis."""
    low, high = (min(max(end, axes.get_xlim()[0]), axes.get_xlim()[1]) for end in ends)
    path = ((low, y - 3), (low, y + 3), (low, y), (high, y), (high, y + 3), (high, y - 3))
    axes.plot(*zip(*path, strict=True), color=tone, lw=lw, zorder=3)


def format_tick(value: float) -> str:
    """A number of an axis, as short as it can be, with a true minus."""
    if value and not 1e-6 <= abs(value) < 1e9:
        return f"{value:.6g}".replace("-", "−")
    behind = f"{value:.10f}".rstrip("0").partition(".")[2]
    return number(value, len(behind))


# Text


@lru_cache(20_000)
def text_width(words: str, *, is_bold: bool = False) -> float:
    """How wide words are, rather more than less; a letter that the font lacks counts as wide."""
    face = _face(is_bold=is_bold)
    known = "".join(
        " " if letter.isspace() else letter if face.get_char_index(ord(letter)) else "—"
        for letter in words
    )
    face.set_size(SIZE, 72)
    face.set_text(known, 0.0)
    return float(face.get_width_height()[0]) / 64


@cache
def _face(*, is_bold: bool) -> Any:
    import matplotlib as mpl
    from matplotlib.ft2font import FT2Font

    name = "DejaVuSans-Bold.ttf" if is_bold else "DejaVuSans.ttf"
    return FT2Font(f"{mpl.get_data_path()}/fonts/ttf/{name}")


def truncate(words: str, most: float, *, is_bold: bool = False) -> str:
    """Words that fit, shortened where they must be; at least one letter is left."""
    if text_width(words, is_bold=is_bold) <= most:
        return words
    kept = _start_that_fits(words, most - text_width(_DOTS), is_bold=is_bold)
    return f"{words[:kept].rstrip()}{_DOTS}"


def wrap(words: str, most: float, lines: int = 2, *, is_bold: bool = False) -> list[str]:
    """Words in so many lines at most, broken between words, or inside one that is too long."""
    found: list[str] = []
    rest = " ".join(words.split())
    while rest:
        if text_width(rest, is_bold=is_bold) <= most or len(found) == lines - 1:
            return [*found, truncate(rest, most, is_bold=is_bold)]
        kept = _start_that_fits(rest, most, is_bold=is_bold)
        between = rest.rfind(" ", 1, kept + 1)
        kept = between if between > 0 else kept
        found.append(rest[:kept])
        rest = rest[kept:].lstrip()
    return found or [""]


def _start_that_fits(words: str, most: float, *, is_bold: bool) -> int:
    """How many letters fit, at least one."""
    low, high = 1, len(words)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(words[:middle], is_bold=is_bold) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def distinct_names(names: Sequence[str], most: float) -> dict[str, str]:
    """Names that differ even when they are cut: what the long ones begin with alike is left out."""
    short = {name: truncate(name, most, is_bold=True) for name in names}
    same = Counter(short.values())
    alike = sorted(name for name in short if same[short[name]] > 1)
    if not alike:
        return {name: name for name in names}
    first, last = alike[0], alike[-1]
    longest = min(len(first), len(last))
    at = next((place for place in range(longest) if first[place] != last[place]), longest)
    start = max(first.rfind(" ", 0, at), first.rfind("-", 0, at)) + 1 or at
    return {name: _DOTS + name[start:] if name in alike else name for name in names}


def spread_apart(
    places: Sequence[float], halves: Sequence[float], room: tuple[float, float]
) -> list[float]:
    """Places moved forward until none meets the one before, then back into the room.

    `halves` are the halves of what stands there: widths along a line, heights along a column.
    """
    order = sorted(range(len(places)), key=lambda place: places[place])
    moved = list(places)
    least, most = room
    for at in order:
        moved[at] = max(moved[at], least + halves[at])
        least = moved[at] + halves[at]
    for at in reversed(order):
        moved[at] = min(moved[at], most - halves[at])
        most = moved[at] - halves[at]
    return moved


# Formats


@contextmanager
def settings(font: Path | None = None) -> Iterator[None]:
    """Our settings, whatever those of the user are; `font` has letters that DejaVu Sans lacks."""
    import matplotlib as mpl

    family = {"font.family": ["DejaVu Sans", _family(font)]} if font else {}
    with mpl.rc_context(), warnings.catch_warnings():
        mpl.rcdefaults()
        parameters: Any = mpl.rcParams  # whose keys are literals
        parameters.update(_SETTINGS | family)
        warnings.filterwarnings("ignore", "Glyph .* missing from font", UserWarning)
        warnings.filterwarnings("ignore", "Matplotlib currently does not support", UserWarning)
        yield


@cache
def _family(font: Path) -> str:
    """The name of a font that is read from a file; refuses a file that is not a font."""
    from matplotlib.font_manager import fontManager
    from matplotlib.ft2font import FT2Font

    try:
        fontManager.addfont(font)
        return str(FT2Font(str(font)).family_name)
    except (OSError, RuntimeError) as error:
        what = "this is not a font that can be read."
        remedy = "Give a TrueType or OpenType file (.ttf, .otf or .ttc)."
        raise DataError(Problem(what, remedy, file=str(font))) from error


check_font = _family


def missing_characters(words: Iterable[str], font: Path | None = None) -> str:
    """Letters for which print has a box, since neither DejaVu Sans nor `font` has them."""
    from matplotlib.ft2font import FT2Font

    faces = [_face(is_bold=False), *([FT2Font(str(font))] if font else [])]
    letters = sorted(set("".join(words)))
    return "".join(
        letter
        for letter in letters
        if letter.isprintable() and not any(face.get_char_index(ord(letter)) for face in faces)
    )


def to_svg(figure: Figure, title: str, description: str) -> str:
    """The figure for a page: text stays text, and colours follow the page."""
    file = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    figure.savefig(file, format="svg", metadata=nothing)
    width, height = (each * 72 for each in figure.get_size_inches())
    mark = f"p{crc32(f'{title} {description} {width}'.encode()):08x}"
    body = file.getvalue()
    body = body[body.index('<g id="figure') : body.rindex("</svg>")]
    body = re.sub(r'<!--.*?-->|(?<=<g) id="[^"]*"', "", body, flags=re.DOTALL)
    body = re.sub(r'(?<= id=")|(?<=url\(#)|(?<=href="#)', f"{mark}-", body)
    body = re.sub(r'style="([^"]*)"', _look, body.replace("xlink:href", "href"))
    body = re.sub(r'transform="rotate\(-0 [^"]*"|(?<=\.\d\d)\d+', "", body)
    body = re.sub(r'(?<= d=")[^"]*', _short_path, body)
    body = re.sub(r">\s+<", ">\n<", _without_empty_groups(body))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.2f} {height:.2f}" '
        f'width="{width / _PIXEL:.0f}" class="drawing" role="img">\n'
        f"<title>{escape(title)}</title>\n<desc>{escape(description)}</desc>\n"
        f"<style>{_rules()}</style>\n{body.strip()}\n</svg>\n"
    )


_ROLES = {tone: role for role, tone in COLOURS.items()}
_LETTERS = ("font", "font-size", "font-family", "font-weight")


def _look(match: re.Match[str]) -> str:
    """Colours as classes of their roles, everything else as attributes."""
    parts = dict(part.split(": ", 1) for part in match[1].split("; "))
    bold = any(re.match("bold|700", parts.get(name, "")) for name in ("font", "font-weight"))
    classes = ["strong"] if bold else []
    attributes = []
    for name, value in parts.items():
        if name in {"fill", "stroke"} and value in _ROLES:
            classes.append(f"{name[0]}-{_ROLES[value]}")
        elif name not in _LETTERS:
            attributes.append(f'{name}="{value.rstrip(";")}"')
    return " ".join([f'class="{" ".join(classes)}"'] * bool(classes) + attributes)


def _short_path(match: re.Match[str]) -> str:
    return re.sub(r"\s*([MLCQz])\s*", r"\1", match[0]).strip()


def _without_empty_groups(body: str) -> str:
    """The same without groups that say nothing."""
    kept: list[str] = []
    said: list[bool] = []
    for part in re.split(r"(<g[^>]*>|</g>)", body):
        if part == "</g>":
            kept.append(part if said.pop() else "")
        elif part.startswith("<g"):
            says = bool(part[2:].strip(" />"))
            kept.append(part if says else "")
            if not part.endswith("/>"):
                said.append(says)
        else:
            kept.append(part)
    return "".join(kept)


def _rules() -> str:
    """The style; a plain colour stands before each role, for programs that know no variables."""
    letters = f"font:{SIZE}px system-ui,'Segoe UI','Liberation Sans',sans-serif;direction:ltr"
    rules = [("text", letters), (".strong", "font-weight:600"), ("path", "stroke-linejoin:round")]
    for role, tone in COLOURS.items():
        rules.append((f".f-{role}", f"fill:{tone};fill:var(--{role},{tone})"))
        rules.append((f".s-{role}", f"stroke:{tone};stroke:var(--{role},{tone})"))
    return "".join(f".drawing {name}{{{how}}}" for name, how in rules)


def to_pdf(figure: Figure, title: str) -> bytes:
    """The figure for a paper: letters as letters, fonts embedded."""
    nothing = dict.fromkeys(("Creator", "Producer", "CreationDate"))
    return _print(figure, "pdf", {"Title": title} | nothing)


def to_png(figure: Figure, title: str) -> bytes:
    """The figure for slides, in 300 dots per inch on white."""
    return _print(figure, "png", {"Title": title, "Software": None})


def _print(figure: Figure, ending: str, metadata: dict[str, Any]) -> bytes:
    file = io.BytesIO()
    figure.savefig(file, format=ending, metadata=metadata, dpi=300)
    return file.getvalue()
