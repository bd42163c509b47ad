# SPDX-FileCopyrightText: 2026 The Tact authors
# SPDX-License-Identifier: MIT
"""Runs the tests of a module, and prints the totals as the other tests do. 77: all were skipped.

usage: tests/python/run.py test_queries
"""
import os
import sys
import unittest


class Result(unittest.TextTestResult):
    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        print(f"skipped at {test.id()}:0: {reason}", flush=True)


def main():
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    try:
        suite = unittest.defaultTestLoader.loadTestsFromName(sys.argv[1])
    except unittest.SkipTest as reason:  # of the whole module, which lacks what it needs
        print(f"skipped at {sys.argv[1]}:0: {reason}\ntests: 0 passed, 0 failed, 1 skipped")
        sys.exit(77)
    result = unittest.TextTestRunner(sys.stdout, verbosity=2, resultclass=Result).run(suite)
    failed, skipped = len(result.failures) + len(result.errors), len(result.skipped)
    passed = result.testsRun - failed - skipped
    print(f"tests: {max(0, passed)} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or result.testsRun + skipped == 0 else 77 if passed <= 0 else 0)


if __name__ == "__main__":
    main()
