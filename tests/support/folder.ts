/** Where tests keep their files. */
import { readFileSync, statfsSync } from "node:fs"
import { tmpdir } from "node:os"

const SHARED_MEMORY = "/dev/shm"
const NEEDED_BYTES = 2 * 1024 ** 3

/** Shared memory if it has enough space and allows execution, because creating thousands of small files on a disk takes longer than the tests. */
export function folderForTests(): string {
  return isUsable(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir()
}

function isUsable(folder: string): boolean {
  try {
    const mount = readFileSync("/proc/mounts", "utf8")
      .split("\n")
      .map((line) => line.split(" "))
      .find(([, place, type]) => place === folder && type === "tmpfs")
    const options = mount?.[3]?.split(",") ?? ["noexec"]
    const { bavail, bsize } = statfsSync(folder)
    return options.includes("rw") && !options.includes("noexec") && bavail * bsize >= NEEDED_BYTES
  } catch {
    return false
  }
}
