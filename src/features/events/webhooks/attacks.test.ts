import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Caller, openWorld, type World } from "../../code/repositories/testing.ts"

/** Webhooks as a means to reach services that only this machine may reach. The operator allows one address; a forbidden server listens beside it. */

let world: World
let ada: Caller
let canary: Server
let redirector: Server
let port: number
const reached: string[] = []
beforeAll(async () => {
  canary = createServer((request, response) => {
    reached.push(`${request.headers.host}${request.url}`)
    response.end("the inside")
  }).listen(0, "127.0.0.1")
  await once(canary, "listening")
  port = portOf(canary)
  redirector = createServer((request, response) => {
    const status = Number(request.url?.slice(1))
    response
      .writeHead(status, { location: `http://127.0.0.1:${port}/redirected`, refresh: `0; url=http://127.0.0.1:${port}/refreshed` })
      .end()
  }).listen(0, "127.0.0.2")
  await once(redirector, "listening")
  world = await openWorld("sqlite", { outgoing: { allowedHosts: "external, 127.0.0.2" } })
  ada = await world.person("ada")
  await ada.call("POST", "/user/repos", { name: "home" })
})
afterAll(async () => {
  await world.close()
  for (const server of [canary, redirector]) {
    server.closeAllConnections()
    server.close()
    await once(server, "close")
  }
})

function portOf(server: Server): number {
  const address = server.address()
  if (typeof address !== "object" || address === null) throw new TypeError("a listening server has an address")
  return address.port
}

/** Creates a webhook with this URL and causes an event; returns the outcome of the delivery, or the refusal of the webhook. */
async function attack(url: string) {
  const hook = { type: "gitea", active: true, events: ["issues"], config: { url, content_type: "json" } }
  const made = await ada.call("POST", "/repos/ada/home/hooks", hook)
  if (made.status !== 201) return made
  await ada.call("POST", "/repos/ada/home/issues", { title: "Now" })
  await world.hearth.services.jobs.drain()
  const at = `/repos/ada/home/hooks/${made.body.id}`
  const [delivery] = (await ada.call("GET", `${at}/deliveries`)).body
  const details = (await ada.call("GET", `${at}/deliveries/${delivery.id}`)).body
  await ada.call("DELETE", at)
  return { status: 201, body: details }
}

it.each([
  "127.0.0.1",
  "127.0.0.1.",
  "127.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "①②⑦.⓪.⓪.①",
  "%31%32%37.0.0.1",
  "0",
  "0.0.0.0",
  "localhost",
  "LOCALHOST.",
  "[::1]",
  "[0:0:0:0:0:0:0:1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
])("reaches nothing on this machine as %s", async (host) => {
  const { status, body } = await attack(`http://${host}:${port}/in`)
  expect(status).toBe(201)
  expect(body).toMatchObject({ state: "waiting", attempts: 1, response: null, error: expect.stringContaining("may not be called") })
  expect(reached).toEqual([])
})

it.each(["169.254.169.254", "[fd00:ec2::254]", "10.0.0.1", "192.168.0.1", "172.16.0.1", "100.100.100.200", "[fe80::1]"])(
  "reaches nothing beside this machine as %s",
  async (host) => {
    expect((await attack(`http://${host}/latest/meta-data/`)).body).toMatchObject({
      state: "waiting",
      response: null,
      error: expect.stringContaining("may not be called"),
    })
  },
)

it.each([301, 302, 303, 307, 308])("is not led inside by an answer %i", async (status) => {
  const { body } = await attack(`http://127.0.0.2:${portOf(redirector)}/${status}`)
  expect(body).toMatchObject({ state: "waiting", response: { status }, error: `the receiver answered ${status}` })
  expect(reached).toEqual([])
})

it.each([
  "file:///etc/passwd",
  "gopher://127.0.0.1:6379/_FLUSHALL",
  "ftp://127.0.0.1/",
  "unix:/var/run/docker.sock",
  "http://127.0.0.2@127.0.0.1/",
  "http:127.0.0.1",
  "http://",
  "//127.0.0.1/",
  "http://127.0.0.1/\r\nX-Injected: 1",
])("is no address: %s", async (url) => {
  expect((await attack(url)).status).toBe(422)
})

it("puts nothing of its own between the headers", async () => {
  const hook = { type: "gitea", active: true, config: { url: "http://127.0.0.2/", content_type: "json" } }
  for (const header of ["Bearer a\r\nX-Injected: 1", "Bearer a\nX-Injected: 1", "Bearer a\0"])
    expect((await ada.call("POST", "/repos/ada/home/hooks", { ...hook, authorization_header: header })).status).toBe(422)
})
