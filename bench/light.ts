import { spawn } from "node:child_process"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import type { LightFigure, LightLoad } from "./light-load.ts"
import { ADMIN, type Server } from "./server.ts"

/** A token of the administrator, with all scopes. */
export async function tokenOf(server: Pick<Server, "api">): Promise<string> {
  const made = await server.api("POST", `/users/${ADMIN.name}/tokens`, { name: `bench-${Date.now()}`, scopes: ["all"] })
  const { sha1 }: { readonly sha1: string } = JSON.parse(await made.text())
  return sha1
}

/** Runs a load in a process of its own, and gives what it measured. */
export async function lightLoad(load: LightLoad): Promise<LightFigure> {
  const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "light-load.ts")], {
    stdio: ["pipe", "pipe", "inherit"],
  })
  child.stdin.end(JSON.stringify(load))
  const printed = await text(child.stdout)
  if (printed === "") throw new Error("the load has failed")
  return JSON.parse(printed)
}
