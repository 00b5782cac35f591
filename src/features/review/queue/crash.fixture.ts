import { startHearth } from "../../../app.ts"
import type { ConfigOverrides } from "../../../core/config.ts"

/** A server that is killed at a given moment of a merge queue. */

const [moment = "", config = "{}"] = process.argv.slice(2)
const settings: ConfigOverrides = JSON.parse(config)
const hearth = await startHearth({ config: settings, env: {} })

const die = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL")
  return new Promise(() => {})
}

const { references, objects } = hearth.services.git
const update = references.update
Object.assign(references, {
  update: (async (repository, updates) => {
    if (moment === "a trial is built" && updates.some(({ name, to }) => name.startsWith("refs/queue/") && to !== null)) await die()
    await update(repository, updates)
    if (moment === "the branch has moved" && updates.some(({ name }) => name === "refs/heads/main")) await die()
  }) satisfies typeof update,
})
const written = objects.written
Object.assign(objects, {
  // A landing asks for it once the checks have passed.
  written: (async (...given) => {
    if (moment === "the checks have passed") await die()
    return written(...given)
  }) satisfies typeof written,
})

process.stdout.write(`${hearth.url}\n`)
