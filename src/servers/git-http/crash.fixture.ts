import { startHearth } from "../../app.ts"
import type { ConfigOverrides } from "../../core/config.ts"

/** A server that is killed at a given moment of the first push that it receives. */

const [moment = "", config = "{}"] = process.argv.slice(2)
const settings: ConfigOverrides = JSON.parse(config)
const hearth = await startHearth({ config: settings, env: {} })

const die = (): Promise<never> => {
  process.kill(process.pid, "SIGKILL")
  return new Promise(() => {})
}

const { transport, references } = hearth.services.git
const receive = transport.receive
Object.assign(transport, {
  receive: ((repository, request) =>
    receive(repository, {
      ...request,
      before: async (commands, options) => {
        await request.before?.(commands, options)
        if (moment === "before references move") await die()
      },
      after: async (outcome) => {
        if (moment === "after references moved") await die()
        return (await request.after?.(outcome)) ?? []
      },
    })) satisfies typeof receive,
})
if (moment === "before HEAD moves") Object.assign(references, { setHead: die })

process.stdout.write(`${hearth.url}\n`)
