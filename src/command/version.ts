import { API_VERSION, VERSION } from "../core/version.ts"
import type { Terminal } from "./terminal.ts"

/** Prints the versions of Hearth, of the interface that it speaks, and of what it runs on. */
export function printVersion({ out }: Terminal): void {
  out(`hearth ${VERSION}`)
  out(`api ${API_VERSION}`)
  out(`node ${process.versions.node}`)
}
