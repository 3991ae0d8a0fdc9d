#!/usr/bin/python3
"""A forecast is tested on past days: a worker makes the calendar's features of all hours before, and takes two weeks.

Each test has two more days behind it than the last. With --fixed features were made once, and are cut.

After https://github.com/awslabs/gluonts/issues/2052, and a comment on https://github.com/awslabs/gluonts/pull/1980.
"""

import datetime
import math
import os
import sys

# A wait that spins would keep one of two CPUs from the workers.
os.environ["STALLTRACE_STAND_IN_BLOCK"] = "1"
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import numpy
import torch
from loop import IS_FIXED, Loop, loader_of
from torch.utils.data import Dataset

SHOPS = 16
DAYS = 360
EACH_DAYS = 2
CONTEXT_HOURS = 14 * 24
HORIZON_HOURS = 24
START = datetime.datetime(2023, 1, 2)


def hour_of_day(when):
    return when.hour / 23 - 0.5


def day_of_week(when):
    return when.weekday() / 6 - 0.5


def day_of_month(when):
    return (when.day - 1) / 30 - 0.5


def season(when):
    return math.sin(2 * math.pi * when.timetuple().tm_yday / 365.25)


class AddTimeFeatures:
    features = (hour_of_day, day_of_week, day_of_month, season)

    def period_range(self, hours):
        return [START + datetime.timedelta(hours=hour) for hour in range(hours)]

    def __call__(self, hours):
        periods = self.period_range(hours)
        return numpy.array([[feature(when) for when in periods] for feature in self.features], dtype=numpy.float32)


class InstanceSplitter:
    """The two weeks before a forecast, and the day that it is made for."""

    def __call__(self, demand, features):
        end = len(demand)
        past = slice(end - HORIZON_HOURS - CONTEXT_HOURS, end)
        return torch.from_numpy(numpy.vstack([demand[None, past], features[:, past]]))


class Backtest(Dataset):
    """Days one after the other, and all shops of each."""

    def __init__(self):
        hours = CONTEXT_HOURS + (DAYS + 1) * HORIZON_HOURS
        noise = numpy.random.default_rng(13)
        self.demand = noise.gamma(2.0, 3.0, (SHOPS, hours)).astype(numpy.float32)
        self.add_time_features = AddTimeFeatures()
        self.split_instance = InstanceSplitter()
        self.made = self.add_time_features(hours) if IS_FIXED else None

    def __len__(self):
        return DAYS // EACH_DAYS * SHOPS

    def __getitem__(self, index):
        test, shop = divmod(index, SHOPS)
        hours = CONTEXT_HOURS + (test * EACH_DAYS + 1) * HORIZON_HOURS
        features = self.add_time_features(hours) if self.made is None else self.made[:, :hours]
        return self.split_instance(self.demand[shop, :hours], features)


def main():
    culprit = ["AddTimeFeatures", "period_range", "season", "day_of_month", "day_of_week", "hour_of_day"]
    loop = Loop("slow-getitem", [*culprit, "Backtest.__getitem__"], step_s=0.04)
    for batch in loop.batches(loader_of(Backtest(), SHOPS, 2, multiprocessing_context="spawn")):
        loop.infer(batch)
    loop.report(sys.argv[1])


if __name__ == "__main__":
    main()
