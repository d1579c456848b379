"""The answers to the flights questions, worked out by pandas from the package's own CSV files.

No SQL engine takes part, so that the expected answers in cases/flights.toml have a source of
their own. A function's name is the case's id; rows are lists, NULL is None.
"""

from __future__ import annotations

import io
from functools import cache

import pandas as pd

from servers import flights

Rows = list[list[object]]
NEW_YORK = ["EWR", "JFK", "LGA"]


@cache
def table(name: str) -> pd.DataFrame:
    """One of the five tables; times as timestamps without a zone (UTC)."""
    spec = next(t for t in flights.TABLES if t.name == name)
    frame = pd.read_csv(
        io.BytesIO(flights.csv_bytes(spec)), na_values=[flights.NULL], keep_default_na=False
    )
    if "time_hour" in frame:
        frame["time_hour"] = pd.to_datetime(frame["time_hour"]).dt.tz_localize(None)
    return frame


def _rows(frame: pd.DataFrame) -> Rows:
    plain = frame.astype(object).where(frame.notna(), None)
    return [[v.item() if hasattr(v, "item") else v for v in row] for row in plain.to_numpy()]


def busiest_carriers() -> Rows:
    merged = table("flights").merge(table("airlines"), on="carrier")
    counted = merged.groupby("name").size().reset_index(name="n")
    return _rows(counted.sort_values(["n", "name"], ascending=[False, True]).head(5))


def cancelled_by_month() -> Rows:
    grouped = table("flights").groupby("month")["dep_time"]
    size, known = grouped.size(), grouped.count()
    share = ((size - known) * 100.0 / size).round(2)
    frame = pd.DataFrame({"cancelled": size - known, "share": share}).reset_index()
    return _rows(frame)


def mean_delay_by_origin() -> Rows:
    grouped = table("flights").groupby("origin")[["dep_delay", "arr_delay"]]
    return _rows(grouped.mean().round(2).reset_index())


def busiest_day_of_each_origin() -> Rows:
    counted = table("flights").groupby(["origin", "month", "day"]).size().reset_index(name="n")
    ordered = counted.sort_values(["n", "month", "day"], ascending=[False, True, True])
    return _rows(ordered.groupby("origin").head(1).sort_values("origin"))


def running_total_by_month() -> Rows:
    counted = table("flights").groupby("month").size().reset_index(name="n")
    counted["total"] = counted["n"].cumsum()
    return _rows(counted)


def change_from_month_to_month() -> Rows:
    counted = table("flights").groupby("month").size().reset_index(name="n")
    counted["change"] = counted["n"].diff()
    return _rows(counted)


def destinations_in_no_airport_table() -> Rows:
    unknown = table("flights")[~table("flights")["dest"].isin(table("airports")["faa"])]
    return _rows(unknown.groupby("dest").size().reset_index(name="n").sort_values("dest"))


def tail_numbers_in_no_plane_table() -> Rows:
    flown = table("flights").dropna(subset=["tailnum"])
    unknown = flown[~flown["tailnum"].isin(table("planes")["tailnum"])]
    return [[len(unknown), int(unknown["tailnum"].nunique())]]


def seats_by_manufacturer() -> Rows:
    grouped = table("planes").groupby("manufacturer")["seats"]
    frame = pd.DataFrame({"planes": grouped.size(), "seats": grouped.sum()}).reset_index()
    return _rows(frame[frame["planes"] >= 100].sort_values("seats", ascending=False))


def delay_in_rain() -> Rows:
    merged = table("flights").merge(table("weather"), on=["origin", "time_hour"])
    merged["sky"] = merged["precip"].gt(0).map({True: "rain", False: "dry"})
    grouped = merged.groupby("sky")["dep_delay"]
    frame = pd.DataFrame({"n": grouped.size(), "mean": grouped.mean().round(2)})
    return _rows(frame.reset_index())


def flights_by_weekday() -> Rows:
    days = table("flights")["time_hour"].dt.day_of_week + 1
    return _rows(days.value_counts().sort_index().reset_index())


def flights_by_quarter() -> Rows:
    frame = table("flights")
    quarter = ((frame["month"] + 2) // 3).rename("quarter")
    grouped = frame.groupby(quarter)
    out = pd.DataFrame({"n": grouped.size(), "carriers": grouped["carrier"].nunique()})
    return _rows(out.reset_index())


def median_departure_delay() -> Rows:
    known = table("flights").dropna(subset=["dep_delay"])
    ordered = known.sort_values("dep_delay")
    middle = ordered.groupby("origin")["dep_delay"].apply(lambda d: d.iloc[(len(d) + 1) // 2 - 1])
    return _rows(middle.astype(int).reset_index())


def worst_destinations() -> Rows:
    grouped = table("flights").groupby("dest")["arr_delay"]
    frame = pd.DataFrame({"n": grouped.size(), "mean": grouped.mean().round(2)}).reset_index()
    return _rows(frame[frame["n"] >= 1000].sort_values("mean", ascending=False).head(5))


def longer_than_the_carriers_mean() -> Rows:
    frame = table("flights")
    mean = frame.groupby("carrier")["distance"].transform("mean")
    counted = frame[frame["distance"] > mean].groupby("carrier").size().reset_index(name="n")
    return _rows(counted.sort_values("n", ascending=False).head(5))


def fastest_flights() -> Rows:
    frame = table("flights").dropna(subset=["air_time"]).copy()
    frame["mph"] = (frame["distance"] * 60.0 / frame["air_time"]).round(1)
    ordered = frame.sort_values(["mph", "carrier", "flight"], ascending=[False, True, True])
    return _rows(ordered[["carrier", "flight", "dest", "mph"]].head(5))


def served_from_all_three() -> Rows:
    grouped = table("flights").groupby("dest")["origin"].nunique()
    three = sorted(grouped[grouped == len(NEW_YORK)].index)
    return [[len(three), three[0], three[-1]]]


def airports_by_zone() -> Rows:
    counted = table("airports").groupby("tzone", dropna=False).size().reset_index(name="n")
    keep = counted["tzone"].isna() | counted["tzone"].str.startswith("America/").fillna(False)
    return _rows(counted[keep].sort_values(["n", "tzone"], ascending=[False, True]))


def first_and_last_hour() -> Rows:
    grouped = table("flights").groupby("origin")["time_hour"]
    return [
        [origin, first.isoformat(), last.isoformat()]
        for origin, first, last in zip(NEW_YORK, grouped.min(), grouped.max(), strict=True)
    ]


def late_flights_of_a_carrier() -> Rows:
    frame = table("flights")
    late = frame[(frame["carrier"] == "UA") & (frame["dep_delay"] > 120)]
    return [[len(late), int(late["dep_delay"].max())]]
