/* fuzz_command.c: any words as a command line (words.h), in a folder with a world, a model, a table
 * and a sequence. Whatever they are, the command ends with a status of its own. Verbs that run for
 * minutes by nature (study, fit, recover, bench, view) are asked for their options alone. */
#include "words.h"

/* main() of the command */
int command_main(int argc, char **argv);

static given_file given[] = {
    {.name = "m", .text = reader_model},
    {.name = "w", .text = words_world},
    {.name = "t",
     .text = "subject,episode,step,reward,arm\n1,0,0,win,go left\n1,0,1,loss,go right\n"},
    {.name = "s",
     .text = "{\"format\": \"sonde-sequence\", \"version\": 1, \"outcomes\": [[0], [1]],"
             " \"actions\": [[0]]}"},
};

static bool is_slow(const char *verb) {
    static const char *const slow[] = {"study", "fit", "recover", "bench", "view"};
    bool found = false;
    for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
        found = found || strcmp(verb, slow[i]) == 0;
    }
    return found;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static words w;
    static int32_t n_run;
    if (folder[0] == '\0') {
        enter_folder("fuzz_command");
    }
    if (++n_run % 10000 == 0) {
        clear_folder(); /* of files that commands wrote */
    }
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        restore(&given[i]);
    }
    (void)take_words(&w, data, size);
    if (w.n > 1 && is_slow(w.text[1])) {
        add_word(&w, "--help");
    }
    const int status = command_main(w.n, w.argv);
    if (status < 0 || status > 4) {
        give_up("an exit status that is none", w.text[1]);
    }
    return 0;
}
