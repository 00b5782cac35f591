/** What blocks of code in texts get: a button that copies them, and drawings in place of diagrams. Loaded where there is a block of code. */

import "./copy.ts"
import { t } from "./words.ts"

export function dress(inside: ParentNode): void {
  for (const block of inside.querySelectorAll<HTMLElement>(".prose pre"))
    if (!block.previousElementSibling?.matches(".copy-code, .diagram")) block.before(copyButton())
  if (inside.querySelector("code.language-mermaid")) void import("./diagrams.ts").then(({ findDiagrams }) => findDiagrams(inside))
}

function copyButton(): HTMLElement {
  const box = document.createElement("div")
  box.className = "copy-code"
  box.dataset["made"] = ""
  const button = document.createElement("button")
  button.type = "button"
  button.className = "small"
  button.dataset["copy"] = ""
  button.textContent = t("Copy")
  button.setAttribute("aria-label", t("Copy the code"))
  box.append(button)
  return box
}
