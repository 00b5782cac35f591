import { isMapping, type Members, UnreadableYamlError } from "../../planning/issue-templates/yaml.ts"

/** The values of one job of a matrix. */
export type Combination = Members

/** The most jobs that a workflow may have. */
export const MOST_JOBS = 256

/**
 * The combinations of a matrix; none where there is no matrix, or where it is an expression that is only known when the workflow runs.
 * Throws `UnreadableYamlError` for an invalid matrix, and for more than 256 combinations.
 */
export function combinationsOf(strategy: unknown): readonly Combination[] {
  const matrix = isMapping(strategy) ? strategy["matrix"] : undefined
  if (matrix === undefined || matrix === null || typeof matrix === "string") return []
  if (!isMapping(matrix)) throw new UnreadableYamlError("'matrix' should be a mapping")
  const { include, exclude, ...axes } = matrix
  if (Object.values(axes).some((axis) => !Array.isArray(axis))) return []
  const excluded = mappingsIn(exclude, "exclude")
  const product = productOf(axes).filter((one) => !excluded.some((without) => holds(one, without)))
  const all = included(product, new Set(Object.keys(axes)), mappingsIn(include, "include"))
  if (all.length > MOST_JOBS) throw new UnreadableYamlError(`a matrix of more than ${MOST_JOBS} jobs`)
  return all
}

function productOf(axes: Members): readonly Combination[] {
  let product: readonly Combination[] = Object.keys(axes).length === 0 ? [] : [{}]
  for (const [name, values] of Object.entries(axes)) {
    const list: readonly unknown[] = Array.isArray(values) ? values : []
    if (product.length * list.length > MOST_JOBS) throw new UnreadableYamlError(`a matrix of more than ${MOST_JOBS} jobs`)
    product = product.flatMap((one) => list.map((value) => ({ ...one, [name]: value })))
  }
  return product
}

function mappingsIn(list: unknown, name: string): readonly Members[] {
  if (list === undefined || list === null || typeof list === "string") return []
  if (!Array.isArray(list) || !list.every(isMapping)) throw new UnreadableYamlError(`'${name}' should be a list of mappings`)
  return list
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const holds = (one: Combination, part: Members): boolean => Object.entries(part).every(([name, value]) => same(one[name], value))

/** Applies `include`: each entry extends the combinations whose axes it doesn't change; where there are none it is added as a combination. */
function included(product: readonly Combination[], axes: ReadonlySet<string>, include: readonly Members[]): readonly Combination[] {
  const all = [...product]
  for (const more of include) {
    const onAxes = Object.fromEntries(Object.entries(more).filter(([name]) => axes.has(name)))
    let found = false
    for (const [index, one] of product.entries())
      if (holds(one, onAxes)) {
        all[index] = { ...all[index], ...more }
        found = true
      }
    if (!found) all.push(more)
  }
  return all
}

const valueText = (value: unknown): string => (typeof value === "object" && value !== null ? JSON.stringify(value) : String(value ?? ""))

const EXPRESSION = /\$\{\{\s*matrix\.([\w-]+)\s*\}\}/g

/** A text with the `matrix` expressions replaced by the values of a combination. */
export const substitute = (text: string, combination: Combination): string =>
  text.replace(EXPRESSION, (whole, name: string) => (name in combination ? valueText(combination[name]) : whole))

/** The name of a job of a matrix: its own with values substituted in, or else followed by all values in the order of their names. */
export function matrixJobName(name: string, combination: Combination): string {
  const substituted = substitute(name, combination)
  if (substituted !== name || Object.keys(combination).length === 0) return substituted
  const values = Object.keys(combination)
    .sort()
    .map((key) => valueText(combination[key]))
  return `${name} (${values.join(", ")})`
}
