"""Other libraries: bridges to them, and what of theirs we measure ourselves against.

Bridges let one library use the other; each is a file that nothing else here imports.

- `econml`: our methods with EconML's words, for EconML's tools (`EconMLAdapter`).
- `dowhy`: our methods as an estimator of DoWhy (`PairNetEstimator`).
- `foreign`: models of EconML, CausalML, metalearners or scikit-uplift among our learners, in a
  stack and in `compare` (`Foreign`).

Peers (`peers/`) are methods that people would pick instead; the experiment `peers` measures them.
"""
