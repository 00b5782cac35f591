import { expect } from "vitest"
import { type Browser, openBrowser } from "../../../../tests/support/browser.ts"
import { withHearth } from "../../../../tests/support/fixture.ts"
import { PASSWORD } from "../../../../tests/support/hearth.ts"
import { faultsIn } from "../../../../tests/support/html.ts"

const FORM = `name: Bug
about: Something is wrong
title: "[Bug] "
labels: [bug]
assignees: [ann, nobody-like-that]
body:
  - type: markdown
    attributes: { value: "Thanks for **telling** us <script>x</script>" }
  - type: input
    id: version
    attributes: { label: Version, placeholder: "1.0" }
    validations: { required: true, is_number: true }
  - type: textarea
    id: log
    attributes: { label: Log, render: text, description: "What it printed" }
  - type: dropdown
    id: system
    attributes: { label: System, options: [Linux, BSD] }
    validations: { required: true }
  - type: dropdown
    id: shells
    attributes: { label: Shells, multiple: true, options: [bash, zsh, fish] }
  - type: dropdown
    id: weight
    attributes: { label: How bad, options: [A little, Very] }
  - type: checkboxes
    id: terms
    attributes: { label: Terms, options: [{ label: I looked for it first, required: true }, { label: I can help }] }
`

withHearth("opening an issue", { people: ["ann", "ben"] }, ({ test, forge, ann, call }) => {
  const open = async (name: string): Promise<Browser> => {
    const browser = openBrowser(forge.hearth.url)
    await browser.signIn(name, PASSWORD)
    return browser
  }
  /** The fields of the form as a browser sends them, in their order. */
  const send = async ({ cookies }: Browser, fields: readonly (readonly [string, string])[]) => {
    const answer = await fetch(`${forge.hearth.url}/ann/box/issues/new/form`, {
      method: "POST",
      redirect: "manual",
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "sec-fetch-site": "same-origin",
        accept: "text/html",
      },
      body: new URLSearchParams(fields.map(([name, value]): [string, string] => [name, value])),
    })
    return { status: answer.status, location: answer.headers.get("location") ?? "", text: await answer.text() }
  }
  const filled = ({
    version = "1.5",
    log = "",
    system = "1",
    shells = [],
    terms = ["0"],
  }: {
    readonly version?: string
    readonly log?: string
    readonly system?: string
    readonly shells?: readonly string[]
    readonly terms?: readonly string[]
  }) =>
    [
      ["template", ".gitea/ISSUE_TEMPLATE/bug.yaml"],
      ["title", "[Bug] It stops"],
      ["answers", "#version"],
      ["answers", version],
      ["answers", "#log"],
      ["answers", log],
      ["answers", "#system"],
      ["answers", system],
      ["answers", "#shells"],
      ...shells.map((value) => ["answers", value] as const),
      // Left open, as a browser sends it.
      ["answers", "#weight"],
      ["answers", ""],
      ["answers", "#terms"],
      ...terms.map((value) => ["answers", value] as const),
    ] as const

  test.beforeAll(async () => {
    await call(ann, "POST /user/repos", { name: "box", auto_init: true })
    await call(ann, "POST /repos/ann/box/labels", { name: "bug", color: "ff0000" })
    for (const [name, content] of [
      ["bug.yaml", FORM],
      ["wish.md", "---\nname: Wish\nabout: Something is missing\ntitle: 'Wish: '\nlabels: bug\n---\nI wish"],
    ] as const)
      expect(
        (
          await call(ann, `POST /repos/ann/box/contents/.gitea/ISSUE_TEMPLATE/${name}`, {
            content: Buffer.from(content).toString("base64"),
            message: "x",
          })
        ).status,
      ).toBe(201)
  })

  test("a form has a field for each question", async () => {
    const { status, text } = await (await open("ben")).get("/ann/box/issues/new?template=bug.yaml")
    expect([status, faultsIn(text)]).toEqual([200, []])
    expect(text).toContain("<strong>telling</strong>")
    expect(text).not.toContain("<script>x")
    expect(text).toMatch(/<input type="hidden" name="answers" value="#version"><label for="answer-version">/)
    expect(text).toMatch(/<select id="answer-system" name="answers" required/)
    expect(text.match(/type="checkbox"/g)).toHaveLength(5)
    expect(text).toContain('value="[Bug] "')
  })

  test("the answers become the text, whatever they say", async () => {
    const log = "#system\r\n```\n### Version"
    const done = await send(await open("ann"), filled({ log, shells: ["0", "2"] }))
    expect(done.status).toBe(303)
    const issue = (await call(ann, `GET /repos${done.location}`)).body
    expect(issue.body).toBe(
      "### Version\n\n1.5\n\n### Log\n\n````text\n#system\n```\n### Version\n````\n\n### System\n\nBSD\n\n### Shells\n\nbash, fish\n\n### How bad\n\n_No response_\n\n### Terms\n\n- [x] I looked for it first\n- [ ] I can help",
    )
    expect([issue.title, issue.labels[0].name, issue.assignees[0].login]).toEqual(["[Bug] It stops", "bug", "ann"])
    const plain = await send(await open("ben"), filled({ log: "#terms" }))
    expect((await call(ann, `GET /repos${plain.location}`)).body).toMatchObject({
      labels: [],
      body: expect.stringContaining("### Shells\n\n_No response_"),
    })
  })

  test.for([
    [{ version: "" }, "must be answered"],
    [{ version: "one" }, "must be a number"],
    [{ system: "" }, "must be answered"],
    [{ system: "7" }, "must be one of the options"],
    [{ terms: [] }, "needs a tick at “I looked for it first”"],
  ] as const)("%j is refused, and all that was typed is shown again", async ([wrong, why]) => {
    const { total } = { total: (await call(ann, "GET /repos/ann/box/issues?state=all")).body.length }
    const refused = await send(await open("ben"), filled({ log: "Typed <b>", shells: ["1"], ...wrong }))
    expect([refused.status, refused.text.includes(why), faultsIn(refused.text)]).toEqual([422, true, []])
    expect(refused.text).toContain("Typed &lt;b&gt;</textarea>")
    expect(refused.text).toMatch(/id="answer-shells-1" type="checkbox" name="answers" value="1" checked/)
    expect((await call(ann, "GET /repos/ann/box/issues?state=all")).body).toHaveLength(total)
  })

  test("a text begins with its template, is opened once, and keeps what was typed when it is refused", async () => {
    const writer = await open("ann")
    const page = await writer.get("/ann/box/issues/new?template=wish.md")
    expect(page.text).toContain("\nI wish</textarea>")
    const fields = page.forms.find(({ action }) => action === "/ann/box/issues/new")?.fields ?? {}
    const refused = await writer.post("/ann/box/issues/new", { ...fields, title: " ", body: "I wish for more" })
    expect([
      refused.status,
      refused.text.includes("I wish for more</textarea>"),
      refused.text.includes(`name="labels" value="${fields["labels"]}"`),
    ]).toEqual([422, true, true])
    const sent = { ...fields, title: "Wish: more", body: "I wish for more" }
    const [one, two] = await Promise.all([writer.post("/ann/box/issues/new", sent), writer.post("/ann/box/issues/new", sent)])
    expect([one?.status, one?.location]).toEqual([303, two?.location])
    expect((await call(ann, `GET /repos${one?.location}`)).body).toMatchObject({ title: "Wish: more", labels: [{ name: "bug" }] })
  })
})
