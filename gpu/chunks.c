// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#include "gpu/chunks.h"

#include "base/platform.h"

tact_result tact_gpu_goes_on(tact_device* device, bool (*progress)(double done, void* user), void* user, double done)
{
    if (tact_device_result(device) != TACT_OK || !progress || progress(done, user)) return tact_device_result(device);
    return TACT_DEVICE_FAIL(device, TACT_ERROR_CANCELLED, "cancelled at %.0f %%", done * 100.0);
}

static void run_one(tact_device* device, const tact_gpu_chunks* c, size_t begin, size_t count,
                    tact_query_report* report)
{
    const double start = tact_platform_milliseconds();
    c->bring(c->user, begin, count);
    const double brought = tact_platform_milliseconds(), read = tact_device_read_ms(device);
    c->run(c->user, begin, count);
    c->take(c->user, begin, count);
    if (tact_device_result(device) != TACT_OK) return;
    report->upload_ms += brought - start;
    const double took = tact_platform_milliseconds() - brought, moved = tact_device_read_ms(device) - read;
    report->download_ms += moved;
    report->query_ms += took - moved;
}

tact_result tact_gpu_chunks_run(tact_device* device, const tact_gpu_chunks* c, tact_query_report* report)
{
    for (size_t begin = 0; begin < c->count && tact_device_result(device) == TACT_OK; begin += c->chunk) {
        const size_t count = c->count - begin < c->chunk ? c->count - begin : c->chunk;
        run_one(device, c, begin, count, report);
        tact_gpu_goes_on(device, c->progress, c->progress_user, (double)(begin + count) / (double)c->count);
    }
    return tact_device_result(device);
}
