/**
 * A text in Markdown as it reads without its marks, on one line, for excerpts: what links and pictures are called, code as it is, no HTML. Excerpts may
 * be cut anywhere, so a mark without its other half goes too.
 */
export function plainText(markdown: string): string {
  return markdown
    .slice(0, LONGEST)
    .replaceAll(/<!--[^>]*(?:-->|$)/g, " ")
    .replaceAll(/^[ \t]*(?:`{3,}|~{3,})[^\n]*$/gm, " ")
    .replaceAll(/!?\[([^\][\n]*)\](?:\([^()\n]*(?:\)|$)|\[[^\][\n]*\])/g, "$1")
    .replaceAll(/^[ \t]*\|?[ \t]*:?-{3,}[-|: \t]*$/gm, " ")
    .replaceAll(/^[ \t]*(?:>[ \t]*)*(?:#{1,6}[ \t]+|(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?)?/gm, "")
    .replaceAll(/<\/?[a-z][^<>\n]{0,500}>/gi, "")
    .replaceAll(/(?<![\p{L}\p{N}_])_{1,3}(?=[^\s_])|(?<=[^\s_])_{1,3}(?![\p{L}\p{N}_])/gu, "")
    .replaceAll(/\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~|`+/g, "")
    .replaceAll(/\s+/g, " ")
    .trim()
}

/** Characters; an excerpt needs no more. */
const LONGEST = 2_000
