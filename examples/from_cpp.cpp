// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// The same queries from C++: objects that destroy themselves, arrays as spans, ids that cannot be mixed up, exceptions.
#include <cstdio>
#include <tact/tact.hpp>
#include <vector>

// [integration]
static bool ask(const std::vector<tact_ray>& rays)
{
    tact::context context = tact::context::create();
    tact::scene scene = tact::scene::create(context);
    const std::vector<tact_vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    const std::vector<tact_sphere> balls = {{{0.25f, 0.25f, 5}, 1}};
    const tact::mesh_id triangle = scene.add(tact::triangles(corners));
    const tact::instance_id front = scene.add_instance(triangle);
    scene.add_instance(scene.add(balls));
    // scene.remove_instance(triangle) would not compile: a mesh's id is not an instance's.
    scene.commit();

    std::vector<tact_hit> hits(rays.size());
    tact_query_report report;
    scene.raycast(rays, hits, TACT_RAY_CLOSEST, tact::query().report(report));
    std::printf("ray 0: t = %g, found by %s\n", hits[0].t, tact::name(report.backend));

    tact::ticket ticket(context);  // submitted: were it not waited for, the ticket would cancel the query
    scene.raycast(rays, hits, TACT_RAY_COUNT, tact::query().submit(ticket));
    ticket.wait();
    std::printf("along ray 0 there are %u\n", hits[0].primitive);

    std::vector<tact::instance_id> seen(scene.cull({}, {}));  // a list: how many there are, then they
    scene.cull({}, seen);
    return hits[0].primitive == 2 && seen.size() == 2 && seen[0] == front;
}
// [/integration]

int main()
{
    std::vector<tact_ray> rays(2);
    for (tact_ray& ray : rays) {
        ray.ox = ray.oy = 0.25f;
        ray.oz = -1;
        ray.dz = 1;
        ray.tmax = 100;
    }
    rays[1].ox = 3;
    try {
        return ask(rays) ? 0 : 1;
    } catch (const tact::error& error) {
        std::fprintf(stderr, "%s: %s\n", tact::name(error.code()), error.what());
        return 1;
    }
}
