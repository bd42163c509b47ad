// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT
#pragma once

/// GRAINS on the CPU. All pairs whose skins meet are listed, and the list serves many substeps, until a particle has
/// moved too far. What a contact remembers lies beside its pair. Forces and torques are summed exactly,
/// so that neither the order of the list nor when it was made changes a result.

#include "cpu_ref/particles/cpu_grain_parts.h"

/// As in tact_particle_engine_class, of an engine with grains.
tact_result tact_cpu_grains_load(tact_particle_cpu* engine, const tact_particle_state* state);
tact_result tact_cpu_grains_store(tact_particle_cpu* engine, tact_particle_state* state);
tact_result tact_cpu_grains_substep(tact_particle_cpu* engine, tact_particle_walk* walk,
                                    const tact_particle_lanes* lanes);
/// As in tact_particle_engine_class: the others stay packed, as they are.
tact_result tact_cpu_grains_append(tact_particle_engine* engine, const tact_particle_state* extra);
tact_result tact_cpu_grains_drain(tact_particle_engine* engine, const tact_particle_solid* regions,
                                  uint32_t region_count, uint32_t* ids, size_t* count);
/// The spin of the particle in a slot, between substeps.
TactVec tact_cpu_grains_spin(const tact_particle_cpu* engine, size_t i);
/// Packs what the list has, and lets go of it: before slots change their order.
tact_result tact_cpu_grains_pack(tact_particle_cpu* engine);
/// Lets go of what is packed, once it is unpacked.
void tact_cpu_grains_drop(tact_particle_cpu* engine);
/// Fills slots, pages and the memories of new lists with what is packed.
tact_result tact_cpu_grains_unpack(tact_particle_cpu* engine, int threads);
/// The list of a chunk, or of a page's walls, with its part of the memory: a plane for each number, one after the
/// other.
tact_grain_list tact_cpu_grains_list(const tact_particle_cpu* engine, const tact_walk_chunk* chunk);
tact_grain_list tact_cpu_grains_walls(const tact_particle_cpu* engine, const tact_grain_page* page);
/// Says that memory is out, after a loop whose threads could not.
tact_result tact_cpu_grains_lack(tact_env* env);
bool tact_cpu_grains_make(tact_particle_cpu* engine);
void tact_cpu_grains_free(tact_particle_cpu* engine);
uint64_t tact_cpu_grains_bytes(const tact_particle_cpu* engine);
