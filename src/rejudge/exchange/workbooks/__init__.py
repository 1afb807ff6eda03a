"""Workbooks (.xlsx): one per participant to fill in, checked cell by cell when they come back.

format     writes all workbooks of a plan, and reads those that came back
layout     which sheets, rows, texts and answer cells a workbook has
sheets     how it looks as an .xlsx file; `sizes` of columns and rows; `pages`, the first sheets
front      what the first sheet says; `consent`, what is asked about consent and times
markers    whose workbook a file is
files      whether a file is one of our workbooks
reading    what its cells say; `cells`, the answer in one cell
answers    whole answers, and what has to be corrected
"""
