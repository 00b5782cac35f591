import { isMapping, listOf, type Members, mappingOf, readMapping, textOf, textsOf, UnreadableYamlError } from "../../../core/yaml.ts"
import { FIELD_TYPES, type IssueFormField, type IssueTemplate, VISIBLE_IN } from "./records.ts"

/** Characters of the text that are shown as its description where it has none. */
const MOST_ABOUT_CHARACTERS = 80

/** Whether a file in a template folder has the name of a template. */
export const canBeTemplate = (name: string): boolean => /\.(md|ya?ml)$/.test(name) && !/^config\.ya?ml$/.test(name)

/** Reads a template: a text with YAML front matter, or a form in YAML. Throws `UnreadableYamlError` where it can't be used. */
export function readTemplate(path: string, text: string): IssueTemplate {
  const template = path.endsWith(".md") ? readText(path, text) : readForm(path, readMapping(text))
  if (template.name.trim() === "") throw new UnreadableYamlError("'name' is required")
  if (template.about.trim() === "") throw new UnreadableYamlError("'about' is required")
  return template
}

/** The whole text where its front matter can't be read. */
function readText(path: string, text: string): IssueTemplate {
  const [, head, content] = /^---[ \t]*\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n([\s\S]*))?$/.exec(text) ?? []
  try {
    if (head !== undefined) return { ...described(path, readMapping(head)), content: content ?? "", body: [] }
  } catch (error) {
    if (!(error instanceof UnreadableYamlError)) throw error
  }
  const name = path.slice(path.lastIndexOf("/") + 1)
  return { ...described(path, { name, about: text.slice(0, MOST_ABOUT_CHARACTERS).toWellFormed() }), content: text, body: [] }
}

function readForm(path: string, members: Members): IssueTemplate {
  const body = listOf(members, "body").map(readField)
  if (body.length === 0) throw new UnreadableYamlError("'body' is required")
  const ids = body.filter(({ type }) => type !== "markdown").map(({ id }) => id)
  const twice = ids.find((id, index) => ids.indexOf(id) !== index)
  if (twice !== undefined) throw new UnreadableYamlError(`the 'id' ${twice} stands there twice`)
  return { ...described(path, members), content: "", body }
}

/** The metadata that texts and forms have in common. */
function described(path: string, members: Members): Omit<IssueTemplate, "content" | "body"> {
  const ref = textOf(members, "ref")
  return {
    name: textOf(members, "name"),
    title: textOf(members, "title"),
    // Templates that were written for other services call it a description.
    about: textOf(members, "about") || textOf(members, "description"),
    labels: [...textsOf(members, "labels")],
    assignees: [...textsOf(members, "assignees")],
    ref: ref === "" || ref.startsWith("refs/") ? ref : `refs/heads/${ref}`,
    file_name: path,
  }
}

// --- the fields of a form ------------------------------------------------------------------------------------------------------------

function readField(value: unknown, index: number): IssueFormField {
  try {
    if (!isMapping(value)) throw new UnreadableYamlError("should be a mapping")
    const type = FIELD_TYPES.find((each) => each === value["type"])
    if (!type) throw new UnreadableYamlError(`'type' should be one of ${FIELD_TYPES.join(", ")}`)
    const field: IssueFormField = {
      type,
      id: textOf(value, "id") || String(index),
      attributes: { ...mappingOf(value, "attributes") },
      validations: { ...mappingOf(value, "validations") },
      visible: visibilityOf(value, type),
    }
    checkField(field)
    return field
  } catch (error) {
    throw error instanceof UnreadableYamlError ? new UnreadableYamlError(`body[${index}]: ${error.message}`) : error
  }
}

function visibilityOf(value: Members, type: IssueFormField["type"]): IssueFormField["visible"] {
  if (value["visible"] === undefined) return type === "markdown" ? ["form"] : [...VISIBLE_IN]
  return textsOf(value, "visible").map((word) => {
    const known = VISIBLE_IN.find((each) => each === word)
    if (!known) throw new UnreadableYamlError(`'visible' should be of ${VISIBLE_IN.join(" and ")}`)
    return known
  })
}

const TEXTS = {
  markdown: ["value"],
  textarea: ["description", "placeholder", "value", "render"],
  input: ["description", "placeholder", "value"],
  dropdown: ["description"],
  checkboxes: ["description"],
} as const

function checkField({ type, id, attributes, validations }: IssueFormField): void {
  for (const name of TEXTS[type]) requireText(attributes, name, type === "markdown")
  if (type === "markdown") return
  if (!/^[\w-]+$/.test(id)) throw new UnreadableYamlError("'id' should contain only letters, digits, '-' and '_'")
  requireText(attributes, "label", true)
  if (type !== "checkboxes") requireFlag(validations, "required")
  if (type === "input") {
    requireFlag(validations, "is_number")
    requireText(validations, "regex", false)
  }
  if (type === "dropdown") requireFlag(attributes, "multiple")
  if (type === "dropdown" || type === "checkboxes") checkOptions(type, attributes)
}

function checkOptions(type: "dropdown" | "checkboxes", attributes: Members): void {
  const options = listOf(attributes, "options")
  if (options.length === 0) throw new UnreadableYamlError("'options' is required")
  for (const [index, option] of options.entries()) {
    if (type === "dropdown" && typeof option !== "string") throw new UnreadableYamlError(`option[${index}] should be a text`)
    if (type === "dropdown") continue
    if (!isMapping(option)) throw new UnreadableYamlError(`option[${index}] should be a mapping`)
    requireText(option, "label", true)
    requireFlag(option, "required")
  }
}

function requireText(of: Members, name: string, isRequired: boolean): void {
  const value = of[name]
  if (value !== undefined && typeof value !== "string") throw new UnreadableYamlError(`'${name}' should be a text`)
  if (isRequired && (value ?? "").trim() === "") throw new UnreadableYamlError(`'${name}' is required`)
}

function requireFlag(of: Members, name: string): void {
  if (of[name] !== undefined && typeof of[name] !== "boolean") throw new UnreadableYamlError(`'${name}' should be true or false`)
}
