/** A file of the catalogue of plants, as the example program reads it. */
export interface Plant {
  readonly name: string
  /** Per cent of what the soil can hold. */
  readonly target: number
  /** Per cent that the soil may lack before anything is done. */
  readonly slack: number
  /** Centimetres. */
  readonly roots: number
  /** Degrees Celsius that the plant survives. */
  readonly coldest?: number
}

export const plantFile = (plant: Plant): string => `${JSON.stringify(plant, null, 2)}\n`

export const tomato: Plant = { name: "Tomato", target: 70, slack: 10, roots: 40 }
export const bean: Plant = { name: "Runner bean", target: 65, slack: 10, roots: 30 }
export const lettuce: Plant = { name: "Lettuce", target: 80, slack: 5, roots: 15 }
export const courgette: Plant = { name: "Courgette", target: 75, slack: 10, roots: 35 }
export const basil: Plant = { name: "Basil", target: 60, slack: 10, roots: 15 }
export const carrot: Plant = { name: "Carrot", target: 60, slack: 15, roots: 25 }
export const raspberry: Plant = { name: "Raspberry", target: 65, slack: 10, roots: 30, coldest: -20 }
export const strawberry: Plant = { name: "Strawberry", target: 70, slack: 10, roots: 20, coldest: -10 }
export const rosemary: Plant = { name: "Rosemary", target: 40, slack: 15, roots: 30, coldest: -8 }
export const kale: Plant = { name: "Kale", target: 65, slack: 15, roots: 30, coldest: -12 }
export const pumpkin: Plant = { name: "Pumpkin", target: 75, slack: 10, roots: 45, coldest: 2 }
export const chilli: Plant = { name: "Chilli", target: 55, slack: 10, roots: 20, coldest: 8 }
export const cucumber: Plant = { name: "Cucumber", target: 80, slack: 5, roots: 30, coldest: 10 }
