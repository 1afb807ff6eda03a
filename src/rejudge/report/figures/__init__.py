"""Every figure of a study, drawn: what it shows, in words as well, with all intervals."""

from rejudge.report.figures.contrasts import deciding
from rejudge.report.figures.pictures import study_pictures

__all__ = [
    "deciding",
    "study_pictures",
]
