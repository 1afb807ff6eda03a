"""Every figure of a study, drawn: what it shows, in words as well, with all intervals."""

from rejudge.report.figures.all_figures import study_pictures
from rejudge.report.figures.contrasts import deciding

__all__ = [
    "deciding",
    "study_pictures",
]
