/* cmd_embed.c: sonde embed turns the policies of a scope into rows of numbers. */
#include "cmd.h"
#include "map.h"

const cli_option_group *const embed_groups[] = {
    &group_scope,   &group_embed,  &group_world, &group_model,
    &group_observe, &group_belief, &group_seed,  &group_json,
    &group_csv,     &group_run,    NULL};

static sonde_status write_text(const void *about, sonde_text *text) {
    const cli_map *map = about;
    add_map_lines(text, map);
    const sonde_status status = add_map_plane(text, map);
    sonde_text_add(text, "\n· one policy, • up to nine, ● more\n");
    add_again(text, map->args, &map->world);
    return status;
}

sonde_status cmd_embed(cli_arguments *args, cli_session *session) {
    return map_make(args, session, false, write_text);
}
