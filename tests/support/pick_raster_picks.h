#include "gpu/pick_reduce.h"
tact_result tact_pick_reducer_create(tact_device* device, tact_pick_reducer** reducer)
{
    (void)device;
    *reducer = NULL;
    return TACT_ERROR_INTERNAL;
}
void tact_pick_reducer_destroy(tact_pick_reducer* r)
{
    (void)r;
}
tact_result tact_pick_reducer_start(tact_pick_reducer* r, const tact_pick_mask* mask, const tact_pick_rule* rule,
                                    tact_buffer* ids, tact_buffer* surfaces, bool up)
{
    (void)r;
    (void)mask;
    (void)rule;
    (void)ids;
    (void)surfaces;
    (void)up;
    return TACT_ERROR_INTERNAL;
}
tact_result tact_pick_reducer_collect(tact_pick_reducer* r, tact_pick_list* list)
{
    (void)r;
    (void)list;
    return TACT_ERROR_INTERNAL;
}
#define PICK_TESTS
