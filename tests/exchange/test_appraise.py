"""Appraise: scores with or without documents, spans, times and a header."""

from __future__ import annotations

import pytest

from tool_exports import read, rows


@pytest.fixture(scope="module")
def scores():
    return read("appraise", "appraise.csv")


def test_rows_without_a_header_are_read_by_their_place(scores):
    found = [row for row in rows(scores, "score") if row.item == "news_6817/39"]
    assert [(row.participant, row.system, row.value, row.kind) for row in found] == [
        ("p0001", "alpha", 80.0, "real"), ("p0001", "beta", 95.0, "real"),
        ("p0001", "beta", 85.0, "dropped"), ("p0002", "alpha", 75.0, "repeat"),
    ]  # fmt: skip


def test_the_suffixes_of_documents_are_not_part_of_the_item(scores):
    assert {row.item for row in scores.judgments.rows()} == {
        "deen-tutorial1/1000001", "news_6817/39", "news_6817/40",
    }  # fmt: skip


def test_tutorials_bad_references_and_repeats_are_kept_apart(scores):
    kinds = [row.kind for row in rows(scores, "score")]
    assert sorted(kinds) == sorted(
        ["practice", "real", "real", "check", "real", "dropped", "real", "repeat"]
    )


def test_a_clock_that_measured_nothing_gives_no_seconds(scores):
    seconds = {row.value: row.seconds for row in scores.judgments.rows()}
    assert seconds[100.0] is None
    assert seconds[80.0] == pytest.approx(9.0)
    assert seconds[70.0] == pytest.approx(15.5)


def test_spans_are_counted_by_severity(scores):
    assert scores.unmapped == ()
    assert sum(row.value for row in rows(scores, "spans.severity.minor")) == 1
    assert sum(row.value for row in rows(scores, "spans.mqm")) == -6


def test_an_omission_is_marked_in_no_place(tmp_path):
    path = tmp_path / "scores.csv"
    span = '[{""start_i"":""missing"",""end_i"":""missing"",""severity"":""major""}]'
    path.write_text(f'u,alpha,1,TGT,eng,deu,80,doc,True,"{span}"\n')
    found = read("appraise", path)
    assert [row.value for row in rows(found, "spans.mqm")] == [-5.0]
    assert ",,,,,,yes,major,," in found.files["spans.csv"].decode()


def test_that_a_login_may_be_a_batch_is_said(scores):
    assert any("a login is one batch" in note for note in scores.notes)


def test_the_same_segment_in_two_languages_is_two_items():
    found = read("appraise", "appraise-plain.csv").judgments.rows()
    assert [(row.item, row.dataset, row.seconds) for row in found] == [
        ("eng-deu/1", "eng-deu", 9.0), ("eng-deu/1", "eng-deu", 9.0), ("eng-ces/1", "eng-ces", 9.0),
    ]  # fmt: skip


def test_files_with_a_header_are_read_by_name_though_spans_are_not_quoted():
    found = read("appraise", "appraise-results.csv")
    assert [(row.system, row.value) for row in rows(found, "score")] == [
        ("alpha", 80.0), ("beta", 90.0),
    ]  # fmt: skip
    assert [row.value for row in rows(found, "spans.count")] == [2.0, 0.0]
    assert "example.org" not in repr((found.rejected, found.notes))


def test_two_scores_of_one_row_are_of_two_systems():
    found = read("appraise", "appraise-pairs.csv").judgments.rows()
    assert [(row.item, row.system, row.value) for row in found] == [
        ("news_6817/39", "alpha", 80.0), ("news_6817/39", "beta", 70.0),
        ("news_6817/40", "alpha", 60.0),
    ]  # fmt: skip


def test_batch_numbers_at_the_end_do_not_matter(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("u,alpha,1,TGT,eng,deu,80,doc,True,[],1724876793.5,1724876802.5,3,17\n")
    (row,) = read("appraise", path).judgments.rows()
    assert (row.value, row.seconds, row.item) == (80.0, 9.0, "doc/1")


def test_rows_of_another_shape_are_rejected(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text("u,alpha,1,TGT,eng,deu,80\nu,alpha,1\nu,beta,2,XXX,eng,deu,80\n\n")
    found = read("appraise", path)
    assert len(found.judgments) == 1
    assert [each.row for each in found.rejected] == [2, 3]


def batch(*rows: str) -> str:
    """Scores of two logins: each has its own batch, numbered from 1."""
    return "".join(f"{row},False,[]\n" for row in rows)


POSITIONS = batch(
    "u1,alpha,1,TGT,eng,deu,11,news#alpha", "u1,alpha,2,TGT,eng,deu,12,news#alpha",
    "u1,beta,3,TGT,eng,deu,51,talk#beta", "u1,alpha,4,TGT,eng,deu,99,news#alpha#duplicate1",
    "u1,alpha,5,BAD,eng,deu,1,news#alpha#bad1", "u2,beta,1,TGT,eng,deu,50,talk#beta",
    "u2,beta,2,TGT,eng,deu,21,news#beta", "u2,beta,3,TGT,eng,deu,22,news#beta",
)  # fmt: skip


def test_positions_in_a_batch_are_counted_within_each_document(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(POSITIONS)
    found = read("appraise", path)
    real = [(row.item, row.system, row.value) for row in rows(found, "score") if row.kind == "real"]
    assert sorted(real) == [
        ("news/1", "alpha", 11.0), ("news/1", "beta", 21.0), ("news/2", "alpha", 12.0),
        ("news/2", "beta", 22.0), ("talk/1", "beta", 50.0), ("talk/1", "beta", 51.0),
    ]  # fmt: skip
    assert any("place in a batch" in note for note in found.notes)


def test_positions_are_recognised_where_a_login_has_two_batches(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(
        batch(
            "u1,alpha,1,TGT,eng,deu,1,news#alpha", "u1,alpha,2,TGT,eng,deu,2,talk#alpha",
            "u1,beta,1,TGT,eng,deu,3,blog#beta", "u1,beta,2,TGT,eng,deu,4,mail#beta",
            "u2,alpha,1,TGT,eng,deu,5,mail#alpha", "u2,alpha,2,TGT,eng,deu,6,blog#alpha",
            "u2,beta,1,TGT,eng,deu,7,talk#beta", "u2,beta,2,TGT,eng,deu,8,news#beta",
        )
    )  # fmt: skip
    found = read("appraise", path)
    assert {row.item for row in rows(found, "score")} == {"news/1", "talk/1", "blog/1", "mail/1"}


def test_documents_that_fill_up_a_batch_are_repeats(tmp_path):
    path = tmp_path / "scores.csv"
    path.write_text(POSITIONS)
    kinds = {row.value: row.kind for row in rows(read("appraise", path), "score")}
    assert (kinds[99.0], kinds[1.0]) == ("repeat", "check")


@pytest.mark.parametrize(
    "scores",
    [
        pytest.param(
            batch(
                "u1,alpha,1,TGT,eng,deu,1,news#alpha", "u1,alpha,1,TGT,eng,deu,2,talk#alpha",
                "u2,beta,2,TGT,eng,deu,3,news#beta", "u2,beta,1,TGT,eng,deu,4,talk#beta",
            ),
            id="within documents",
        ),
        pytest.param(
            batch(
                "u1,alpha,7,TGT,eng,deu,1,news#alpha", "u1,alpha,9,TGT,eng,deu,2,talk#alpha",
                "u2,beta,7,TGT,eng,deu,3,news#beta", "u2,beta,8,TGT,eng,deu,4,news#beta",
            ),
            id="in the test set",
        ),
    ],
)  # fmt: skip
def test_other_numbers_of_segments_are_kept(tmp_path, scores):
    path = tmp_path / "scores.csv"
    path.write_text(scores)
    found = {row.item for row in rows(read("appraise", path), "score")}
    given = (line.split(",") for line in scores.splitlines())
    assert found == {f"{cells[7].partition('#')[0]}/{cells[2]}" for cells in given}
