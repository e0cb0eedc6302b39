// Where something that exists for a moment is put: in memory first, and more than one, since a command may have filled
// or removed any of them.

import { tmpdir } from "node:os";

export const TEMPORARY_DIRECTORIES = ["/run", "/dev/shm", tmpdir(), "/tmp", "/var/tmp"];
