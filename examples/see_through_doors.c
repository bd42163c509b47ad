// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Which rooms of a house are seen through its doors, and through which part of the view. With a name of a file it draws
// the plan: see_through_doors plan.svg
#include <stdio.h>
#include <tact/geometry.h>

enum { WIDE = 5, DEEP = 4, ROOMS = WIDE * DEEP, MOST = 2 * ROOMS };

/// Rooms of 1 x 1 x 1. To the right of each room and behind it there is a door, or none: from where to where in the
/// wall.
static const float doors[ROOMS][2][2] = {{{0.3f, 0.6f}, {0.2f, 0.5f}},
                                         {{0.4f, 0.8f}, {0, 0}},
                                         {{0.2f, 0.9f}, {0.5f, 0.8f}},
                                         {{0, 0}, {0.1f, 0.9f}},
                                         {{0, 0}, {0.4f, 0.6f}},
                                         {{0.5f, 0.9f}, {0.3f, 0.7f}},
                                         {{0.1f, 0.4f}, {0.6f, 0.9f}},
                                         {{0.3f, 0.7f}, {0.2f, 0.8f}},
                                         {{0.5f, 0.7f}, {0, 0}},
                                         {{0, 0}, {0.2f, 0.4f}},
                                         {{0, 0}, {0.1f, 0.4f}},
                                         {{0.2f, 0.8f}, {0.3f, 0.9f}},
                                         {{0.4f, 0.6f}, {0.1f, 0.5f}},
                                         {{0.6f, 0.9f}, {0.4f, 0.9f}},
                                         {{0, 0}, {0, 0}},
                                         {{0.3f, 0.5f}, {0, 0}},
                                         {{0, 0}, {0, 0}},
                                         {{0.2f, 0.8f}, {0, 0}},
                                         {{0.3f, 0.6f}, {0, 0}},
                                         {{0, 0}, {0, 0}}};

typedef struct plan {
    tact_portal portals[MOST];
    tact_vec3 points[4 * MOST];
    size_t count;
    tact_vec3 eye;
    FILE* file;  ///< NULL: nothing is drawn
} plan;

static void add_door(plan* p, uint32_t room, uint32_t other, tact_vec3 from, tact_vec3 to)
{
    tact_vec3* at = p->points + 4 * p->count;
    at[0] = from;
    at[1] = to;
    at[2] = (tact_vec3){to.x, to.y, 0.9f};
    at[3] = (tact_vec3){from.x, from.y, 0.9f};
    p->portals[p->count] = (tact_portal){{room, other}, (uint32_t)(4 * p->count), 4};
    ++p->count;
}

static void build(plan* p)
{
    for (uint32_t room = 0; room < ROOMS; ++room) {
        const float x = (float)(room % WIDE), y = (float)(room / WIDE), *right = doors[room][0], *back = doors[room][1];
        if (right[1] > 0.0f)
            add_door(p, room, room + 1, (tact_vec3){x + 1, y + right[0], 0}, (tact_vec3){x + 1, y + right[1], 0});
        if (back[1] > 0.0f)
            add_door(p, room, room + WIDE, (tact_vec3){x + back[0], y + 1, 0}, (tact_vec3){x + back[1], y + 1, 0});
    }
}

/// Draws the part of a room that is seen: its floor, cut by the planes that stand upright.
static bool draw_part(uint32_t room, uint32_t portal, const tact_plane* planes, uint32_t plane_count, void* user)
{
    const plan* p = user;
    const float x = (float)(room % WIDE), y = (float)(room / WIDE);
    tact_vec2 part[40] = {{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}}, left[40];
    int count = 4;
    (void)portal;
    if (!p->file) return true;
    for (uint32_t k = 0; k < plane_count; ++k) {
        const tact_vec3 n = planes[k].normal;
        if (n.z > 0.01f || n.z < -0.01f) continue;
        int kept = 0;
        for (int i = 0; i < count; ++i) {
            const tact_vec2 a = part[i], b = part[(i + 1) % count];
            const float h = n.x * a.x + n.y * a.y - planes[k].distance, g = n.x * b.x + n.y * b.y - planes[k].distance;
            if (h <= 0.0f) left[kept++] = a;
            if ((h <= 0.0f) != (g <= 0.0f))
                left[kept++] = (tact_vec2){a.x + h / (h - g) * (b.x - a.x), a.y + h / (h - g) * (b.y - a.y)};
        }
        count = kept;
        for (int i = 0; i < count; ++i)
            part[i] = left[i];
    }
    fprintf(p->file, "<path fill=\"#f4c542\" d=\"");
    for (int i = 0; i < count; ++i)
        fprintf(p->file, "%c%.2f,%.2f", i ? 'L' : 'M', 100.0 * (double)part[i].x, 100.0 * (double)part[i].y);
    fprintf(p->file, "Z\"/>\n");
    return true;
}

static void draw_line(const plan* p, tact_vec3 a, tact_vec3 b, const char* style)
{
    fprintf(p->file, "<path %s d=\"M%.1f,%.1fL%.1f,%.1f\"/>\n", style, 100.0 * (double)a.x, 100.0 * (double)a.y,
            100.0 * (double)b.x, 100.0 * (double)b.y);
}

static void draw_walls(const plan* p)
{
    for (int i = 0; i <= WIDE; ++i)
        draw_line(p, (tact_vec3){(float)i, 0, 0}, (tact_vec3){(float)i, DEEP, 0}, "stroke=\"#333\" stroke-width=\"5\"");
    for (int i = 0; i <= DEEP; ++i)
        draw_line(p, (tact_vec3){0, (float)i, 0}, (tact_vec3){WIDE, (float)i, 0}, "stroke=\"#333\" stroke-width=\"5\"");
    for (size_t i = 0; i < p->count; ++i)
        draw_line(p, p->points[4 * i], p->points[4 * i + 1], "stroke=\"#fff\" stroke-width=\"6\"");
    fprintf(p->file, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"6\" fill=\"#c0392b\"/>\n</svg>\n", 100.0 * (double)p->eye.x,
            100.0 * (double)p->eye.y);
}

int main(int argc, char** argv)
{
    static plan p = {.eye = {1.3f, 1.6f, 0.5f}};
    tact_portals* graph = NULL;
    uint32_t rooms[ROOMS];
    p.file = argc > 1 ? fopen(argv[1], "w") : NULL;
    if (p.file)
        fprintf(p.file,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-5 -5 510 410\" width=\"510\" height=\"410\">\n"
                "<rect x=\"-5\" y=\"-5\" width=\"510\" height=\"410\" fill=\"#fff\"/>\n"
                "<rect width=\"500\" height=\"400\" fill=\"#d9dde2\"/>\n");
    build(&p);
    tact_result result = tact_portals_create(p.portals, p.count, p.points, 4 * p.count, ROOMS, NULL, &graph);
    tact_portal_view view = {.eye = p.eye, .cell = 6, .seen = draw_part, .user = &p, .cells = rooms, .capacity = ROOMS};
    if (result == TACT_OK) result = tact_portals_see(graph, &view);
    tact_portals_destroy(graph);
    if (p.file) {
        draw_walls(&p);
        fclose(p.file);
    }
    if (result != TACT_OK) {
        fprintf(stderr, "see_through_doors: %s\n", tact_last_error());
        return 1;
    }
    printf("%zu of %d rooms are seen:", view.count, ROOMS);
    for (size_t i = 0; i < view.count; ++i)
        printf(" %u", (unsigned)rooms[i]);
    printf("\n");
    return view.count == 10 ? 0 : 1;
}
