import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { effortOf } from "../../../../tests/support/effort.ts"
import { UnreadableYamlError } from "../../../core/yaml.ts"
import { openStage, type Stage } from "../../code/releases/testing.ts"
import { DEFAULT_CONFIG, readConfig } from "./config.ts"
import { readTemplate } from "./template.ts"

const FORM = `name: Bug
description: Something is wrong
title: "[Bug]: "
labels: bug, needs triage
assignees: [ann, ben]
ref: main
body:
  - type: markdown
    attributes: { value: Thanks }
  - type: input
    id: contact
    attributes: { label: Contact, placeholder: you@example.com }
    validations: { required: true, regex: ".+@.+" }
  - type: dropdown
    visible: [form]
    attributes: { label: Version, multiple: true, options: ["1", "2"] }
  - type: checkboxes
    id: terms
    attributes: { label: Terms, options: [{ label: I agree, required: true }] }
`

describe("a template", () => {
  test("is a form", () => {
    expect(readTemplate("ISSUE_TEMPLATE/bug.yaml", FORM)).toEqual({
      name: "Bug",
      about: "Something is wrong",
      title: "[Bug]: ",
      labels: ["bug", "needs triage"],
      assignees: ["ann", "ben"],
      ref: "refs/heads/main",
      content: "",
      file_name: "ISSUE_TEMPLATE/bug.yaml",
      body: [
        { type: "markdown", id: "0", attributes: { value: "Thanks" }, validations: {}, visible: ["form"] },
        {
          type: "input",
          id: "contact",
          attributes: { label: "Contact", placeholder: "you@example.com" },
          validations: { required: true, regex: ".+@.+" },
          visible: ["form", "content"],
        },
        {
          type: "dropdown",
          id: "2",
          attributes: { label: "Version", multiple: true, options: ["1", "2"] },
          validations: {},
          visible: ["form"],
        },
        {
          type: "checkboxes",
          id: "terms",
          attributes: { label: "Terms", options: [{ label: "I agree", required: true }] },
          validations: {},
          visible: ["form", "content"],
        },
      ],
    })
  })

  test("is a text with front matter, or without", () => {
    const text = readTemplate("t/ask.md", "---\r\nname: Ask\nabout: A question\nref: refs/tags/v1\r\n---\nWhat?\n---\nmore")
    expect(text).toMatchObject({ name: "Ask", about: "A question", ref: "refs/tags/v1", content: "What?\n---\nmore", body: [], labels: [] })
    for (const plain of ["What is wrong?", "---\n# Title\n---\nWords", "---\nname: [\n---\nx"])
      expect(readTemplate("t/ask.md", plain)).toMatchObject({ name: "ask.md", about: plain, content: plain })
  })

  const body = (field: string) => `name: x\nabout: y\nbody:\n  - ${field}\n`
  test.each([
    ["no YAML", "a: [", "at line 1"],
    ["no mapping", "- a", "no mapping"],
    ["without a name", FORM.replace("name: Bug", "x: y"), "'name' is required"],
    ["without words on it", FORM.replace("description: Something is wrong", ""), "'about' is required"],
    ["without fields", "name: x\nabout: y", "'body' is required"],
    ["with fields that are none", "name: x\nabout: y\nbody: words", "'body' should be a list"],
    ["with labels that are none", `${FORM}`.replace("labels: bug, needs triage", "labels: { a: b }"), "'labels'"],
    ["with a field that is none", body("words"), "body[0]: should be a mapping"],
    ["with an unknown type", body("{ type: magic }"), "body[0]: 'type' should be one of"],
    ["with a field without a label", body("{ type: input }"), "'label' is required"],
    ["with a label that is none", body("{ type: input, attributes: { label: 1 } }"), "'label' should be a text"],
    ["with markdown without a value", body("{ type: markdown }"), "'value' is required"],
    ["with an id that is none", body('{ type: input, id: "a b", attributes: { label: x } }'), "'id' should contain only"],
    [
      "with a flag that is none",
      body("{ type: input, attributes: { label: x }, validations: { required: often } }"),
      "'required' should be",
    ],
    ["with no options", body("{ type: dropdown, attributes: { label: x, options: [] } }"), "'options' is required"],
    ["with options that are none", body("{ type: dropdown, attributes: { label: x, options: [1] } }"), "option[0] should be a text"],
    ["with boxes that are none", body("{ type: checkboxes, attributes: { label: x, options: [y] } }"), "option[0] should be a mapping"],
    ["seen nowhere", body("{ type: input, attributes: { label: x }, visible: [nowhere] }"), "'visible' should be of"],
    [
      "with one id twice",
      `name: x\nabout: y\nbody:\n${"  - { type: input, id: a, attributes: { label: x } }\n".repeat(2)}`,
      "the 'id' a stands there twice",
    ],
  ])("%s is refused", (_, text, words) => {
    expect(() => readTemplate("t/x.yaml", text)).toThrow(UnreadableYamlError)
    expect(() => readTemplate("t/x.yaml", text)).toThrow(words)
  })

  test("that is expensive to parse is refused cheaply", async () => {
    const laughs = `a0: &a0 [${"x,".repeat(10)}]\n${Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${`*a${i},`.repeat(10)}]\n`).join("")}`
    const effort = await effortOf(() => {
      for (const text of [
        laughs,
        "[".repeat(20_000),
        "{a: ".repeat(20_000),
        `${"  ".repeat(500)}? `.repeat(50),
        "a: !!js/function 'x'\nb: *c",
      ])
        expect(() => readTemplate("t/x.yaml", text)).toThrow(UnreadableYamlError)
    })
    expect(effort).toBeLessThan(5)
  })

  test("that names members of Object.prototype changes nothing else", () => {
    const odd = readTemplate("t/x.yaml", `__proto__: { polluted: 1 }\nconstructor: x\n${FORM}`)
    expect([odd.name, Reflect.get({}, "polluted")]).toEqual(["Bug", undefined])
  })
})

describe("the settings of issues", () => {
  test("are read, with defaults for what is left out", () => {
    expect(
      readConfig("blank_issues_enabled: false\ncontact_links:\n  - { name: Forum, url: https://example.com, about: Ask there }"),
    ).toEqual({
      blank_issues_enabled: false,
      contact_links: [{ name: "Forum", url: "https://example.com", about: "Ask there" }],
    })
    expect(readConfig("other: 1")).toEqual(DEFAULT_CONFIG)
    expect(readConfig(" \n")).toEqual(DEFAULT_CONFIG)
  })

  test.each([
    ["a: [", "at line 1"],
    ["words", "no mapping"],
    ["blank_issues_enabled: maybe", "'blank_issues_enabled' should be"],
    ["contact_links: words", "'contact_links' should be a list"],
    ["contact_links: [words]", "position 1 should be a mapping"],
    ["contact_links: [{ name: a, url: https://x }]", "position 1 is missing about key"],
    ["contact_links: [{ name: a, url: 'javascript:alert(1)', about: b }]", "is not a valid URL"],
    ["contact_links: [{ name: a, url: nowhere, about: b }]", "is not a valid URL"],
  ])("%s are refused", (text, words) => {
    expect(() => readConfig(text)).toThrow(UnreadableYamlError)
    expect(() => readConfig(text)).toThrow(words)
  })
})

describe("the templates of a repository", () => {
  let stage: Stage
  beforeAll(async () => {
    stage = await openStage("memory")
  })
  afterAll(() => stage.close())

  const put = (path: string, text: string, at = "/repos/ann/open") =>
    stage.must(stage.ann, `POST ${at}/contents/${path}`, { content: Buffer.from(text).toString("base64") })

  test("are found in all template folders; invalid ones are skipped", async () => {
    expect(await stage.must(undefined, "GET /repos/ann/open/issue_templates")).toEqual([])
    await put(".github/ISSUE_TEMPLATE/ask.md", "---\nname: Ask\nabout: A question\n---\nWhat?")
    await put(".gitea/issue_template/bug.yml", FORM)
    await put(".gitea/issue_template/broken.yml", "a: [")
    await put(".gitea/issue_template/notes.txt", "no template")
    await put(".gitea/issue_template/huge.md", `---\nname: Huge\nabout: x\n---\n${"x".repeat(200_000)}`)
    const found = await stage.must(undefined, "GET /repos/ann/open/issue_templates")
    expect(found.map(({ file_name }: { file_name: string }) => file_name)).toEqual([
      ".gitea/issue_template/bug.yml",
      ".github/ISSUE_TEMPLATE/ask.md",
    ])
    await stage.must(stage.ann, "POST /user/repos", { name: "bare" })
    expect(await stage.must(undefined, "GET /repos/ann/bare/issue_templates")).toEqual([])
  })

  test("come with settings, which are checked", async () => {
    const at = "/repos/ann/open"
    const config = () => stage.must(undefined, `GET ${at}/issue_config`)
    const validate = () => stage.must(undefined, `GET ${at}/issue_config/validate`)
    expect([await config(), await validate()]).toEqual([DEFAULT_CONFIG, { valid: true, message: "" }])
    await put(".gitea/ISSUE_TEMPLATE/config.yml", "blank_issues_enabled: false\n", at)
    expect([await config(), await validate()]).toEqual([
      { ...DEFAULT_CONFIG, blank_issues_enabled: false },
      { valid: true, message: "" },
    ])
    await put(".gitea/ISSUE_TEMPLATE/config.yaml", "contact_links: [", at)
    expect([await config(), await validate()]).toEqual([DEFAULT_CONFIG, { valid: false, message: expect.stringMatching(/./) }])
    expect(await stage.must(undefined, "GET /repos/ann/bare/issue_config")).toEqual(DEFAULT_CONFIG)
  })

  test("of what is hidden are hidden", async () => {
    for (const what of ["issue_templates", "issue_config", "issue_config/validate"]) {
      expect(await stage.status(stage.cal, `GET /repos/ann/hush/${what}`)).toBe(404)
      expect(await stage.status(stage.ben, `GET /repos/ann/hush/${what}`)).toBe(200)
    }
  })
})
