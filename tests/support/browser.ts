import { parse } from "parse5"

/** What a person does with a browser, for tests: it keeps cookies, shows pages, and sends their forms as they are. */

export interface Form {
  readonly action: string
  readonly fields: Readonly<Record<string, string>>
}

export interface Page {
  readonly status: number
  readonly headers: Headers
  readonly text: string
  /** Where it leads, or "". */
  readonly location: string
  readonly forms: readonly Form[]
}

type Fields = Readonly<Record<string, string>> | readonly (readonly string[])[]

export interface Browser {
  readonly cookies: Map<string, string>
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Page>
  /** Sends the page's first form with these fields besides its own. */
  readonly submit: (page: Page, fields: Readonly<Record<string, string>>, headers?: Readonly<Record<string, string>>) => Promise<Page>
  /** Sends fields; as pairs where one is there several times. */
  readonly post: (path: string, fields: Fields, headers?: Readonly<Record<string, string>>) => Promise<Page>
  /** Signs in through the pages, and gives the answer to the last form. */
  readonly signIn: (login: string, password: string, redirectTo?: string) => Promise<Page>
}

interface Element {
  readonly nodeName: string
  readonly attrs?: readonly { readonly name: string; readonly value: string }[]
  readonly childNodes?: readonly Element[]
  /** Of a text. */
  readonly value?: string
}

const inside = (element: Element): readonly Element[] => [element, ...(element.childNodes ?? []).flatMap(inside)]
const attribute = (element: Element, name: string): string | undefined => element.attrs?.find((each) => each.name === name)?.value

/** What a field sends as it stands: nothing without a tick. */
function sentBy(field: Element): readonly (readonly [name: string, value: string])[] {
  const name = attribute(field, "name") ?? ""
  const chosen = (options: readonly Element[]) => options.find((option) => attribute(option, "selected") !== undefined) ?? options[0]
  if (field.nodeName === "select") {
    const option = chosen(inside(field).filter(({ nodeName }) => nodeName === "option"))
    return option ? [[name, attribute(option, "value") ?? ""]] : []
  }
  if (field.nodeName === "textarea")
    return [
      [
        name,
        inside(field)
          .map((text) => text.value ?? "")
          .join(""),
      ],
    ]
  if (field.nodeName !== "input") return []
  const isTicked = !["checkbox", "radio"].includes(attribute(field, "type") ?? "") || attribute(field, "checked") !== undefined
  return isTicked ? [[name, attribute(field, "value") ?? ""]] : []
}

/** The forms of the page itself, not those that all pages have around it. */
const formsIn = (text: string): readonly Form[] => {
  const all = inside(parse(text))
  const main = all.find(({ nodeName }) => nodeName === "main")
  return (main ? inside(main) : all)
    .filter(({ nodeName }) => nodeName === "form")
    .map((form) => ({
      action: attribute(form, "action") ?? "",
      fields: Object.fromEntries(inside(form).flatMap(sentBy)),
    }))
}

const isPairs = (fields: Fields): fields is readonly (readonly string[])[] => Array.isArray(fields)

export function openBrowser(url: string): Browser {
  const cookies = new Map<string, string>()

  async function request(path: string, init: RequestInit, headers: Readonly<Record<string, string>>): Promise<Page> {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ")
    const response = await fetch(path.startsWith("http") ? path : url + path, {
      ...init,
      redirect: "manual",
      headers: { ...(cookie !== "" && { cookie }), ...headers },
    })
    for (const set of response.headers.getSetCookie()) {
      const [name = "", value = ""] = (set.split(";")[0] ?? "").split("=")
      if (value === "") cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      location: response.headers.get("location") ?? "",
      forms: response.headers.get("content-type")?.startsWith("text/html") ? formsIn(text) : [],
    }
  }

  const get: Browser["get"] = (path, headers = {}) => request(path, {}, headers)
  const post: Browser["post"] = (path, fields, headers = {}) =>
    request(
      path,
      {
        method: "POST",
        body: new URLSearchParams(isPairs(fields) ? fields.map(([name = "", value = ""]): [string, string] => [name, value]) : fields),
      },
      { "sec-fetch-site": "same-origin", ...headers },
    )
  const submit: Browser["submit"] = (page, fields, headers) => {
    const [form] = page.forms
    if (!form) throw new Error(`there is no form on the page: ${page.status} ${page.text}`)
    return post(form.action, { ...form.fields, ...fields }, headers)
  }
  const signIn: Browser["signIn"] = async (login, password, redirectTo) => {
    const query = redirectTo === undefined ? "" : `?redirect_to=${encodeURIComponent(redirectTo)}`
    return submit(await get(`/user/login${query}`), { login, password })
  }
  return { cookies, get, post, submit, signIn }
}
