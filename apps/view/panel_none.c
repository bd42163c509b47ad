// SPDX-FileCopyrightText: 2026 The Tact authors
// SPDX-License-Identifier: MIT

// Where Dear ImGui was not there when the tool was built.

#include "apps/view/panel.h"

tact_view_panel* tact_view_panel_open(float scale)
{
    (void)scale;
    return NULL;
}

void tact_view_panel_close(tact_view_panel* panel)
{
    (void)panel;
}

tact_view_panel_input tact_view_panel_draw(tact_view_panel* panel, const tact_view_panel_content* content)
{
    (void)panel;
    return (tact_view_panel_input){.item = content->item};
}
