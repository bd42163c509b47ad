// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

#include "apps/view/panel.h"

#include <backends/imgui_impl_opengl3.h>
#include <imgui.h>
#include <cmath>
#include <cstdio>
#include <new>

struct tact_view_panel {
    ImGuiContext* context;
    float scale;
};

namespace
{

const ImU32 tones[] = {IM_COL32(222, 226, 232, 255), IM_COL32(150, 158, 170, 255), IM_COL32(255, 214, 120, 255),
                       IM_COL32(90, 200, 255, 255), IM_COL32(255, 130, 90, 255)};
const ImU32 shadow = IM_COL32(12, 14, 18, 255);

const ImGuiWindowFlags plain = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                               ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav |
                               ImGuiWindowFlags_NoFocusOnAppearing;

void put_text(int tone, const char* text)
{
    ImGui::PushStyleColor(ImGuiCol_Text, tones[tone]);
    ImGui::TextUnformatted(text);
    ImGui::PopStyleColor();
}

/// The keys, at the top right; how wide they are.
float put_keys(const tact_view_panel* p, const tact_view_panel_content* c)
{
    const float edge = 10.0f * p->scale, width = static_cast<float>(c->width);
    if (!c->keys) return 0.0f;
    float column = 0.0f;
    for (size_t i = 0; tact_view_keys[i][0]; ++i)
        column = std::fmax(column, ImGui::CalcTextSize(tact_view_keys[i][0]).x);
    ImGui::SetNextWindowPos(ImVec2(width - edge, edge), ImGuiCond_Always, ImVec2(1, 0));
    ImGui::Begin("keys", nullptr, plain | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs);
    for (size_t list = 0; list < (c->items ? 2u : 1u); ++list) {
        const char* const(*keys)[2] = list ? tact_view_item_keys : tact_view_keys;
        for (size_t i = 0; keys[i][0]; ++i) {
            put_text(TACT_VIEW_STRONG, keys[i][0]);
            ImGui::SameLine(column + 24.0f * p->scale);
            put_text(TACT_VIEW_TEXT, keys[i][1]);
        }
    }
    const float taken = ImGui::GetWindowWidth() + edge;
    ImGui::End();
    return taken;
}

/// The lines, at the top left, in what the keys leave.
void put_lines(const tact_view_panel* p, const tact_view_panel_content* c, float taken)
{
    const float edge = 10.0f * p->scale;
    const float most = std::fmax(static_cast<float>(c->width) - taken - 2 * edge, 20 * edge);
    if (c->count == 0) return;
    ImGui::SetNextWindowPos(ImVec2(edge, edge));
    ImGui::Begin("lines", nullptr, plain | ImGuiWindowFlags_AlwaysAutoResize | ImGuiWindowFlags_NoInputs);
    ImGui::PushTextWrapPos(most - edge);
    for (size_t i = 0; i < c->count; ++i)
        put_text(c->lines[i].tone, c->lines[i].text);
    ImGui::PopTextWrapPos();
    ImGui::End();
}

/// Text that is read on any background.
void put_on(ImDrawList* list, ImVec2 at, ImU32 color, const char* text)
{
    list->AddText(ImVec2(at.x + 1, at.y + 1), shadow, text);
    list->AddText(at, color, text);
}

/// How far up the axes and the scale are: over the slider.
float bottom(const tact_view_panel* p, const tact_view_panel_content* c)
{
    return static_cast<float>(c->height) - (c->items ? 46.0f : 0.0f) * p->scale;
}

/// At the bottom left; what points away first, so that what points to the eye is over it.
void put_axes(const tact_view_panel* p, const tact_view_panel_content* c)
{
    static const ImU32 colors[3] = {IM_COL32(240, 90, 80, 255), IM_COL32(110, 205, 90, 255),
                                    IM_COL32(95, 150, 255, 255)};
    static const char* const names[3] = {"x", "y", "z"};
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const float length = 30.0f * p->scale, half = 0.5f * ImGui::GetFontSize();
    const ImVec2 middle(48.0f * p->scale, bottom(p, c) - 48.0f * p->scale);
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int k = 0; k < 2; ++k) {
            if (c->axes[order[k]][2] <= c->axes[order[k + 1]][2]) continue;
            const int swapped = order[k];
            order[k] = order[k + 1];
            order[k + 1] = swapped;
        }
    }
    list->AddCircleFilled(middle, 1.45f * length, IM_COL32(18, 20, 26, 110), 48);
    for (const int i : order) {
        const ImVec2 end(middle.x + length * c->axes[i][0], middle.y - length * c->axes[i][1]);
        list->AddLine(middle, end, colors[i], 2.5f * p->scale);
        const ImVec2 name(middle.x + 1.25f * length * c->axes[i][0] - 0.5f * half,
                          middle.y - 1.25f * length * c->axes[i][1] - half);
        put_on(list, name, colors[i], names[i]);
    }
}

/// At the bottom right: a bar with its length.
void put_scale(const tact_view_panel* p, const tact_view_panel_content* c)
{
    if (!(c->bar_pixels > 0.0f)) return;
    ImDrawList* list = ImGui::GetBackgroundDrawList();
    const float right = static_cast<float>(c->width) - 20.0f * p->scale, y = bottom(p, c) - 22.0f * p->scale;
    const float left = right - c->bar_pixels, tick = 4.0f * p->scale;
    char text[40];
    std::snprintf(text, sizeof text, "%g", c->bar);
    for (int i = 1; i >= 0; --i) {
        const ImU32 color = i ? shadow : tones[TACT_VIEW_TEXT];
        const float d = static_cast<float>(i), thick = 1.5f * p->scale;
        list->AddLine(ImVec2(left + d, y + d), ImVec2(right + d, y + d), color, thick);
        list->AddLine(ImVec2(left + d, y - tick + d), ImVec2(left + d, y + tick + d), color, thick);
        list->AddLine(ImVec2(right + d, y - tick + d), ImVec2(right + d, y + tick + d), color, thick);
    }
    const ImVec2 size = ImGui::CalcTextSize(text);
    put_on(list, ImVec2(0.5f * (left + right - size.x), y - tick - size.y - 2.0f * p->scale), tones[TACT_VIEW_TEXT],
           text);
}

/// All along the bottom. The one thing here that the mouse moves.
tact_view_panel_input put_slider(const tact_view_panel* p, const tact_view_panel_content* c)
{
    tact_view_panel_input input = {false, c->item};
    const float edge = 10.0f * p->scale, width = static_cast<float>(c->width);
    if (c->items == 0) return input;
    int at = static_cast<int>(c->item) + 1;
    char text[64];
    std::snprintf(text, sizeof text, "%%d of %zu", c->items);
    ImGui::SetNextWindowPos(ImVec2(edge, static_cast<float>(c->height) - edge), ImGuiCond_Always, ImVec2(0, 1));
    ImGui::SetNextWindowSize(ImVec2(width - 2 * edge, 0));
    ImGui::Begin("slider", nullptr, plain);
    ImGui::SetNextItemWidth(-1.0f);
    ImGui::SliderInt("##item", &at, 1, static_cast<int>(c->items), text,
                     ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_NoInput);
    input.taken = ImGui::IsItemActive() || ImGui::IsWindowHovered();
    input.item = static_cast<size_t>(at - 1);
    ImGui::End();
    return input;
}

tact_view_panel_input put_all(const tact_view_panel* p, const tact_view_panel_content* c)
{
    ImGui::NewFrame();
    put_lines(p, c, put_keys(p, c));
    put_axes(p, c);
    put_scale(p, c);
    return put_slider(p, c);
}

}  // namespace

tact_view_panel* tact_view_panel_open(float scale)
{
    tact_view_panel* p = new (std::nothrow) tact_view_panel;
    if (!p) return nullptr;
    p->scale = scale > 1.0f ? scale : 1.0f;
    p->context = ImGui::CreateContext();
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.LogFilename = nullptr;
    // The font that is built in is made of pixels.
    ImFontConfig font;
    font.SizePixels = 13.0f * std::round(p->scale);
    io.Fonts->AddFontDefault(&font);
    ImGui::StyleColorsDark();
    ImGuiStyle& style = ImGui::GetStyle();
    style.ScaleAllSizes(p->scale);
    style.WindowRounding = style.FrameRounding = style.GrabRounding = 4.0f * p->scale;
    style.WindowBorderSize = 0.0f;
    style.Colors[ImGuiCol_WindowBg] = ImVec4(0.06f, 0.07f, 0.09f, 0.80f);
    if (ImGui_ImplOpenGL3_Init("#version 430")) return p;
    ImGui::DestroyContext(p->context);
    delete p;
    return nullptr;
}

void tact_view_panel_close(tact_view_panel* p)
{
    if (!p) return;
    ImGui_ImplOpenGL3_Shutdown();
    ImGui::DestroyContext(p->context);
    delete p;
}

tact_view_panel_input tact_view_panel_draw(tact_view_panel* p, const tact_view_panel_content* c)
{
    const tact_view_panel_input nothing = {false, c->item};
    if (!p || c->hidden) return nothing;
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = ImVec2(static_cast<float>(c->width), static_cast<float>(c->height));
    io.DeltaTime = 1.0f / 60.0f;
    io.MousePos = c->inside ? ImVec2(static_cast<float>(c->x), static_cast<float>(c->y)) : ImVec2(-FLT_MAX, -FLT_MAX);
    io.MouseDown[0] = c->pressed;
    ImGui_ImplOpenGL3_NewFrame();
    // A window is as large as its text was in the frame before: so twice.
    put_all(p, c);
    ImGui::EndFrame();
    const tact_view_panel_input input = put_all(p, c);
    ImGui::Render();
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    return input;
}
