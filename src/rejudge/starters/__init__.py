"""Study folders to start from: one per kind of question, and four shaped like published studies."""

from rejudge.starters.folders import KINDS, LIKES, folder_files, named_after, names, templates

__all__ = ["KINDS", "LIKES", "folder_files", "named_after", "names", "templates"]
