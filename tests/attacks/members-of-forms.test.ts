/**
 * Mass assignment: anyone who sends a form adds members that it has no field for (`is_admin`, `owner_id`, …) and hopes that they are taken. A form
 * hands on what it declares, and nothing else: here every form is sent with members that it doesn't take, and its page, or the operation that it
 * calls, is given exactly what it is given without them.
 */
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import type { Operation } from "../../src/core/operation.ts"
import { moved, type Page } from "../../src/core/page.ts"
import { pages } from "../../src/pages.ts"
import { formAddress } from "../pages/addresses.ts"
import { type DemoWorld, openDemoWorld } from "../pages/world.ts"

const forms = pages.filter(({ method }) => method === "POST")

/** What gives rights, or says whose something is, wherever it is in the database or in a record. */
const WISHES = [
  "id",
  "admin",
  "is_admin",
  "is_owner",
  "active",
  "restricted",
  "prohibit_login",
  "owner_id",
  "user_id",
  "repo_id",
  "repository_id",
  "author_id",
  "creator_id",
  "permission",
  "mode",
  "visibility",
  "private",
  "password",
  "scopes",
  "sudo",
  "must_change_password",
  "__proto__",
  "constructor",
]

let world: DemoWorld
let cookie = ""
beforeAll(async () => {
  world = await openDemoWorld("sqlite")
  cookie = await world.signIn("root")
})
afterAll(() => world?.close())

const membersOf = (does: Operation | undefined): object => Object(Object(does?.body)["properties"])

/** The members that a form has no field for: those of its operation, and the wishes. */
function othersOf({ does, query }: Page): readonly string[] {
  const members = Object.keys(membersOf(does))
  return [...new Set([...members, ...WISHES])].filter((name) => !Object.keys(query.properties).includes(name))
}

const withoutFields = (body: unknown): unknown =>
  typeof body === "object" && body !== null && "fileName" in body ? { ...body, fields: undefined } : body

/** Something that a field takes, as far as its operation says what that is. */
function valueFor({ does }: Page, name: string): string {
  const [, member = {}] = Object.entries(membersOf(does)).find(([key]) => key === name) ?? []
  const schema = JSON.stringify(member)
  const [, first] = /"(?:enum|anyOf)":\[(?:\{"[^}]*"const":)?"(\w[^"]*)"/.exec(schema) ?? []
  if (first !== undefined) return first
  if (schema.includes('"boolean"')) return "true"
  if (schema.includes("date")) return "2030-01-01"
  if (schema.includes("email") || /email/.test(name)) return "zoe@example.com"
  if (/url|addr|website/.test(name)) return "https://elsewhere.example/"
  return /color/.test(name) ? "#aabbcc" : "1"
}

/** Sends a form with a text in each of its fields, and these fields besides. */
async function send(page: Page, others: readonly string[]): Promise<void> {
  const body = new FormData()
  for (const name of [...Object.keys(page.query.properties), ...others]) body.append(name, valueFor(page, name))
  if (page.upload) body.append(page.upload.field, new Blob(["x"]), "x.png")
  const fields = new URLSearchParams([...body].map(([name, value]): [string, string] => [name, String(value)]))
  await fetch(world.url + formAddress(page), {
    method: "POST",
    redirect: "manual",
    headers: { accept: "text/html", cookie, "sec-fetch-site": "same-origin" },
    body: page.upload ? body : fields,
  })
}

test("gives its page nothing but its fields", async () => {
  const wrong: string[] = []
  for (const form of forms) {
    const given: unknown[] = []
    const open = vi.spyOn(form, "open").mockResolvedValue(async ({ query }) => {
      given.push(query)
      return moved("/")
    })
    await send(form, othersOf(form))
    open.mockRestore()
    const [query] = given
    const names = Object.keys(typeof query === "object" && query !== null ? query : {})
    // One refuses a word that it does not know before its page is asked.
    if (given.length !== 1 && form.id !== "notifications.mark") wrong.push(`${form.id} was not answered by its page`)
    for (const name of names) if (!Object.keys(form.query.properties).includes(name)) wrong.push(`${form.id} takes ${name}`)
  }
  expect(wrong).toEqual([])
})

test("calls its operation with the same body, query and path, whatever else is sent", async () => {
  // What is done once is not called a second time.
  const calling = forms.flatMap((form) => (form.does && !form.once ? [[form, form.does] as const] : []))
  const called = async (form: Page, does: Operation, others: readonly string[]): Promise<string | undefined> => {
    let seen: string | undefined
    const open = vi.spyOn(does, "open").mockImplementation(async ({ path }) => ({
      run: async ({ body, query }) => {
        // The fields beside a file come with it; operations that take one read none of them.
        seen = JSON.stringify({ body: withoutFields(body), query, path })
        throw new Error("not done: the test wants to know what was asked for")
      },
    }))
    await send(form, others)
    open.mockRestore()
    return seen
  }
  const wrong: string[] = []
  const silent: string[] = []
  for (const [form, does] of calling) {
    const plain = await called(form, does, [])
    if (plain === undefined) silent.push(form.id)
    else if ((await called(form, does, othersOf(form))) !== plain) wrong.push(form.id)
  }
  expect(wrong).toEqual([])
  // Others refuse what was typed before they call it.
  expect(silent.length).toBeLessThan(calling.length / 2)
})
