"""Tables that others have analysed: the averages that are known, for every seed.

Methods are trained as people train them, in a process whose programs are compiled well.
"""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

causaldata = pytest.importorskip("causaldata", reason="causaldata has the tables")


def job_training():
    """The experiment of LaLonde (1986): earnings in 1978, in dollars, after a job training."""
    table = causaldata.nsw_mixtape.load_pandas().data
    columns = ["age", "educ", "black", "hisp", "marr", "nodegree", "re74", "re75"]
    return table[columns], table["re78"], table["treat"].astype(int)


def smoking():
    """NHEFS: what giving up smoking did to weight, in kg; Hernan and Robins's nine covariates."""
    table = causaldata.nhefs.load_pandas().data.dropna(subset=["wt82_71"])
    columns = ["sex", "age", "race", "education", "smokeintensity", "smokeyrs", "wt71"]
    X = table[[*columns, "exercise", "active"]]
    X = X.astype({"education": str, "exercise": str, "active": str})
    return X, table["wt82_71"], table["qsmk"].astype(int)


def test_results():
    """Thornton (2008): who fetched their HIV result, with or without some money for it."""
    table = causaldata.thornton_hiv.load_pandas().data.dropna(subset=["got", "any"])
    columns = ["distvct", "age", "hiv2004"]
    return table[columns], table["got"].astype(int), table["any"].astype(int)


test_results.__test__ = False  # a table, not a test
TABLES = {"job training": job_training, "smoking": smoking, "test results": test_results}


def averages(table, seeds, members=5, method="networks"):
    """Each seed's doubly robust average and the ends of its interval."""
    names = [name for name in os.environ if name != "XLA_FLAGS"]  # tests compile quickly, not well
    call = [sys.executable, __file__, table, json.dumps(list(seeds)), str(members), method]
    environment = {name: os.environ[name] for name in names}
    said = subprocess.run(call, env=environment, stdout=subprocess.PIPE, check=True, timeout=900)
    return np.array(json.loads(said.stdout)).T


def method_of(name, options):
    """A method as people have it; the stack is one without networks, so that it costs little."""
    from pairnet import LinearSLearner, PairNet, Stack, TreeXLearner

    if name == "stack":
        return Stack(learners=[LinearSLearner(), TreeXLearner()], **options)
    return PairNet(bootstrap=True, **options)


def main(table, seeds, members, method):
    warnings.simplefilter("ignore")
    X, y, t = TABLES[table]()
    found = []
    for seed in json.loads(seeds):
        model = method_of(method, {"members": int(members), "seed": seed, "verbose": False})
        model.fit(X, y, treatment=t)
        average = model.ate(X, kind="doubly robust")
        found.append((average, *model.ate_interval(X, kind="doubly robust")))
    print(json.dumps(found))


@pytest.mark.parametrize("method", ["networks", "stack"])
def test_the_average_of_an_experiment_does_not_hang_on_the_seed(method):
    average, low, high = averages("job training", range(5), method=method)
    assert np.all((average > 1300) & (average < 2000))  # two other models: 1646 and 1634
    assert np.all((low < 1634) & (high > 1646))
    assert np.ptp(average) < 0.15 * np.mean(high - low)


def test_few_members_do_not_lead_the_average_astray():
    average, low, high = averages("job training", [0], members=2)
    assert 1300 < average[0] < 2000
    assert low[0] < 1634
    assert high[0] > 1646


def test_giving_up_smoking_adds_as_much_weight_as_others_found():
    (average,), (low,), (high,) = averages("smoking", [0])
    assert 3.2 < average < 3.6
    assert low < 3.2
    assert high > 3.6


def test_money_makes_as_many_people_fetch_their_result_as_others_found():
    (average,), (low,), (high,) = averages("test results", [0])
    assert 0.42 < average < 0.47
    assert -1 < low < 0.42
    assert 0.47 < high < 1


if __name__ == "__main__":
    main(*sys.argv[1:])
