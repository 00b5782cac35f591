import { type Html, html } from "../core/html.ts"
import type { Text } from "../core/language/message.ts"
import { assetAddress } from "./assets.ts"
import type { IconName } from "./icon-names.ts"

/** An icon of the sprite. It says nothing to screen readers, unless it stands alone and has a label. */
export const icon = (name: IconName, label?: Text): Html =>
  label === undefined
    ? html`<svg class="icon" aria-hidden="true"><use href="${assetAddress("icons.svg")}#${name}"/></svg>`
    : html`<svg class="icon" role="img" aria-label="${label}"><use href="${assetAddress("icons.svg")}#${name}"/></svg>`
