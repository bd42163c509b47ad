// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Work of the C++ peers, handed out to threads in pieces.

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <thread>
#include <vector>

/// Calls `each` with the numbers below `count`, on so many threads, each of which takes a piece at a time. False where
/// a call threw, or a thread could not be made.
template <typename Each>
bool share_out(std::size_t count, std::size_t piece, int threads, const Each& each)
{
    std::atomic<std::size_t> next(0);
    std::atomic<bool> good(true);
    const auto work = [&] {
        try {
            for (std::size_t begin; (begin = next.fetch_add(piece)) < count;) {
                for (std::size_t i = begin; i < std::min(count, begin + piece); ++i)
                    each(i);
            }
        } catch (const std::exception&) {
            good = false;
        }
    };
    std::vector<std::thread> others;
    try {
        for (int i = 1; i < threads; ++i)
            others.emplace_back(work);
    } catch (const std::exception&) {
        good = false;
    }
    work();
    for (std::thread& t : others)
        t.join();
    return good;
}
