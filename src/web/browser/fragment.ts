/** HTML that our own server rendered, put into the page: the only place where a script makes HTML of a text. */

declare global {
  interface Window {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { readonly createHTML: (text: string) => string }): { createHTML(text: string): string }
    }
  }
}

const policy = window.trustedTypes?.createPolicy("hearth", { createHTML: (text) => text })

/** Fetches a part of a page from this site; with fields, as a form is sent. Throws where it can't be had, or is no HTML. */
export async function fetchFragment(address: string, fields?: URLSearchParams): Promise<DocumentFragment> {
  const url = new URL(address, location.href)
  if (url.origin !== location.origin) throw new TypeError(`not an address of this site: ${address}`)
  const response = await fetch(url, {
    credentials: "same-origin",
    redirect: "error",
    headers: { accept: "text/html" },
    ...(fields && { method: "POST", body: fields }),
  })
  if (!response.ok || response.headers.get("content-type")?.startsWith("text/html") !== true)
    throw new TypeError(`no part of a page: ${address} answered ${response.status}`)
  return fragmentOf(await response.text())
}

/** HTML that this site sent. */
export function fragmentOf(text: string): DocumentFragment {
  const template = document.createElement("template")
  template.innerHTML = policy ? policy.createHTML(text) : text
  return template.content
}

const IDS = ["id", "for", "list", "aria-describedby", "aria-labelledby"] as const

/** Gives the elements of a part of a page ids of their own, where it stands on the page several times. */
export function renameIds(inside: ParentNode, name: string): void {
  for (const attribute of IDS)
    for (const element of inside.querySelectorAll(`[${attribute}]`)) {
      const ids = element.getAttribute(attribute)?.split(" ") ?? []
      element.setAttribute(attribute, ids.map((id) => `${id}-${name}`).join(" "))
    }
}
