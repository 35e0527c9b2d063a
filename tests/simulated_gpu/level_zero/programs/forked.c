// SPDX-License-Identifier: Apache-2.0
// A child of a fork without exec has no GPU; its parent has.
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

int main(void) {
  Start();
  ze_command_list_handle_t list = AsyncList();
  ze_event_handle_t event = NewEvent(Pool(ZE_EVENT_POOL_FLAG_HOST_VISIBLE, 1), 0);
  ze_kernel_handle_t kernel = NewKernel("of_the_parent");
  Launch(list, kernel, NULL);
  const pid_t child = fork();
  if (child == 0) {
    const ze_group_count_t one = {1, 1, 1};
    const int refused =
        zeCommandListAppendLaunchKernel(list, kernel, &one, event, 0, NULL) != ZE_RESULT_SUCCESS &&
        zeEventHostSynchronize(event, FOREVER) != ZE_RESULT_SUCCESS;
    _exit(refused ? 0 : 1);
  }
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  Launch(list, kernel, event);
  ZE(zeEventHostSynchronize(event, FOREVER));
  return Done();
}
