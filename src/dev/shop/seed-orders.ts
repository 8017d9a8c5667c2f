/** An initial order of the shop. */
export interface SeedOrder {
  readonly number: string;
  readonly customer: string;
  readonly item: string;
  readonly totalCents: number;
  /** Amount that was refunded earlier. */
  readonly refundedCents?: number;
}

/** One order for each ticket of the demo (graphs/refund-triage/tickets.jsonl), so that no two tickets share one. */
export const SEED_ORDERS: readonly SeedOrder[] = [
  { number: 'A-1001', customer: 'ann.miller@mail.example', item: 'Desk lamp', totalCents: 4_990 },
  { number: 'A-1002', customer: 'marcus.w@mail.example', item: 'Headphones', totalCents: 10_000 },
  { number: 'A-1003', customer: 'priya.n@mail.example', item: 'Rain coat', totalCents: 10_001 },
  { number: 'A-1004', customer: 'it@smallfirm.example', item: 'Laptop', totalCents: 189_900 },
  { number: 'A-1005', customer: 'george@mail.example', item: 'Sofa', totalCents: 64_000 },
  { number: 'A-1006', customer: 'lena.k@mail.example', item: 'Camera', totalCents: 42_000 },
  { number: 'A-1007', customer: 'juergen.b@post.example', item: 'Coffee grinder', totalCents: 7_950 },
  { number: 'A-1008', customer: 'carmen.r@correo.example', item: 'Set of cups', totalCents: 3_500 },
  { number: 'A-1009', customer: 'luc.martin@courriel.example', item: 'Board game', totalCents: 8_999 },
  { number: 'A-1010', customer: 'sato.y@tegami.example', item: 'Water bottle', totalCents: 6_400 },
  { number: 'A-1011', customer: 'dorothy.h@mail.example', item: 'Tea pot', totalCents: 5_825 },
  { number: 'A-1012', customer: 'kev@mail.example', item: 'Charging cable', totalCents: 2_499 },
  { number: 'A-1013', customer: 'ivy@mail.example', item: 'Jacket', totalCents: 9_500 },
  { number: 'A-1014', customer: 'tom.o@mail.example', item: 'Shoes', totalCents: 8_400 },
  { number: 'A-1015', customer: 'tom.o@mail.example', item: 'Belt', totalCents: 2_900 },
  { number: 'A-1017', customer: 'hannah.v@mail.example', item: 'Kettle', totalCents: 8_000 },
  { number: 'A-1018', customer: 'rick@mail.example', item: 'Umbrella', totalCents: 4_500 },
  { number: 'A-1019', customer: 'sue.a@mail.example', item: 'Scarf', totalCents: 5_900, refundedCents: 5_900 },
  { number: 'A-1020', customer: 'omar@mail.example', item: 'Two chairs', totalCents: 9_000, refundedCents: 4_000 },
  { number: 'A-1024', customer: 'vip.client@mail.example', item: 'Television', totalCents: 249_900 },
  { number: 'A-1025', customer: 'grace@mail.example', item: 'Book', totalCents: 3_800 },
  { number: 'A-1026', customer: 'demanding@mail.example', item: 'Blender', totalCents: 5_500 },
  { number: 'A-1027', customer: 'walter.g@mail.example', item: 'Toolbox', totalCents: 7_200 },
  { number: 'A-1028', customer: 'nadia@mail.example', item: 'Vacuum cleaner', totalCents: 15_000 },
  { number: 'A-1029', customer: 'sabine.f@post.example', item: 'Monitor', totalCents: 24_990 },
  { number: 'A-1032', customer: 'pieter@post.example', item: 'Backpack', totalCents: 6_000 },
  { number: 'A-1033', customer: 'josh@mail.example', item: 'T-shirt', totalCents: 1_995 },
  { number: 'A-1034', customer: 'eva.s@mail.example', item: 'E-bike', totalCents: 124_900 },
  { number: 'A-1035', customer: 'diego.l@correo.example', item: 'Watch', totalCents: 31_000 },
  { number: 'A-1036', customer: 'mia@mail.example', item: 'Phone case', totalCents: 1_250 },
  { number: 'A-1038', customer: 'karen.t@mail.example', item: 'Toaster', totalCents: 4_200 },
];
