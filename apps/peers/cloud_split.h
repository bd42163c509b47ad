// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

// Queries of a peer that is C++, handed out to threads.
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

/// Calls work(i) for each query on so many threads and adds up what it returns.
template <class Work>
uint64_t cloud_split(size_t count, int threads, const Work& work)
{
    constexpr size_t piece = 1024;
    std::atomic<size_t> next{0};
    std::atomic<uint64_t> sum{0};
    const auto run = [&] {
        uint64_t own = 0;
        for (size_t begin; (begin = next.fetch_add(piece)) < count;)
            for (size_t i = begin; i < count && i < begin + piece; ++i)
                own += work(i);
        sum += own;
    };
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i)
        others.emplace_back(run);
    run();
    for (std::thread& other : others)
        other.join();
    return sum;
}
