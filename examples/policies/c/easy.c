// EASY backfilling in C: the head of the queue holds a reservation, and later jobs may start early if they do not delay it.
#include "schedscope.h"

DEFINITION({"id": "c-easy", "name": "EASY in C"})

EXPORT(decide) void decide(void) {
  u32 head = schedscope_start_heads();
  if (head == NONE) return;
  schedscope_reserve(head);
  u32 position = schedscope_next_admitted(0);
  while (position != NONE) {
    schedscope_start(schedscope_job_at(position));
    position = schedscope_next_admitted(position + 1);
  }
}
