"""The Human Evaluation Datasheet (HEDS): read, edit, check, convert, compare and print it.

    sheet = read_sheet(Path("datacard.json"))       # or read(bytes), or blank_sheet("3.0")
    sheet.criteria                                  # ("Fluency", "Adequacy")
    sheet.answer("3.2.1")                           # SheetAnswer(text="24")
    sheet.answer("4.2.2", "Fluency").options        # (1,): keys of the ticked options

Sheets are values: an edit returns a new one, and only the entries of that answer change.

    sheet = sheet.with_answer("3.2.2.2", SheetAnswer(options=(1,)))
    sheet = rename_criterion(sheet, "Fluency", "Grammar")
    sheet.write()                                   # bytes, laid out as by the official form

What was filled in automatically is recorded in the sheet, and hand edits are recognised
(`record_answer`, `find_provenance`, `is_edited`).
"""
