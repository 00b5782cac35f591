import { startHearth } from "../../../app.ts"
import type { ConfigOverrides } from "../../../core/config.ts"

/** A server that is killed at a given moment of the first merge. */

const [moment = "", config = "{}"] = process.argv.slice(2)
const settings: ConfigOverrides = JSON.parse(config)
const hearth = await startHearth({ config: settings, env: {} })

const die = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL")
  return new Promise(() => {})
}

const { references } = hearth.services.git
const update = references.update
Object.assign(references, {
  update: (async (repository, updates) => {
    const moves = updates.some(({ name }) => name === "refs/heads/main")
    if (moves && moment === "before the branch moves") await die()
    await update(repository, updates)
    if (moves && moment === "after the branch has moved") await die()
  }) satisfies typeof update,
})

process.stdout.write(`${hearth.url}\n`)
