import { expect, it } from "vitest"
import { type Html, html } from "../../../core/html.ts"
import { beginningOf } from "./long.ts"

const page = (rest: AsyncIterable<Html>) => ({ kind: "shown", title: "", body: html`<h1>Long</h1>`, rest }) as const

async function textOf(rest: AsyncIterable<Html> | undefined): Promise<string> {
  let text = ""
  for await (const part of rest ?? []) text += String(part)
  return text
}

it("takes a short rest into the page", async () => {
  async function* rest() {
    yield html`<p>one</p>`
    yield html`<p>two</p>`
  }
  const begun = await beginningOf(page(rest()))
  expect([String(begun.body), begun.rest]).toEqual(["<h1>Long</h1><p>one</p><p>two</p>", undefined])
})

it("waits neither for what is long nor for what comes late, and loses nothing of it", async () => {
  const large = "x".repeat(70_000)
  let isEnded = false
  async function* long() {
    try {
      yield html`<p>${large}</p>`
      yield html`<p>after</p>`
    } finally {
      isEnded = true
    }
  }
  const begun = await beginningOf(page(long()))
  expect(String(begun.body)).toBe(`<h1>Long</h1><p>${large}</p>`)
  expect(await textOf(begun.rest)).toBe("<p>after</p>")
  expect(isEnded).toBe(true)

  const { promise, resolve } = Promise.withResolvers<undefined>()
  async function* late() {
    yield html`<p>now</p>`
    await promise
    yield html`<p>later</p>`
  }
  const waiting = await beginningOf(page(late()))
  expect(String(waiting.body)).toBe("<h1>Long</h1><p>now</p>")
  resolve(undefined)
  expect(await textOf(waiting.rest)).toBe("<p>later</p>")
})

it("is refused as a whole by what fails at its beginning", async () => {
  async function* rest() {
    yield html`<p>one</p>`
    throw new Error("the object is missing")
  }
  await expect(beginningOf(page(rest()))).rejects.toThrow("the object is missing")
})
