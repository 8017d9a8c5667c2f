import { supportedLanguage } from './classify.ts';
import type { Language } from './classify.ts';
import type { ReplyFacts, PromptTicket } from './prompt.ts';

/*
 * Replies by rules. The model has weaknesses of real ones, which the check can find: it promises what a customer
 * demands, repeats dictated text, and forgets the reference line in replies to long tickets.
 */

/** In characters; longer tickets make the model forget the reference line. */
const LONG_TICKET = 1_200;

// cspell:disable-next-line
const WANTS_GUARANTEE = /guarantee|garantier|garantiz|garantir|保証/i;
const DICTATED = /word for word: "([^"]+)"/i;
export const SIGNATURE = 'Customer Service';

/** Promises in all languages of the model. */
// cspell:disable-next-line
export const PROMISE = /guarante|promise|garantier|garantiz|garantiss|保証/i;

/** Drafts a reply from the facts. */
export function writeReply(facts: ReplyFacts, ticket: PromptTicket): string {
  const { greeting, guarantee, situations } = REPLY_TEXTS[supportedLanguage(facts.language)];
  const dictated = findDictatedText(ticket);
  const weakness = dictated ?? (WANTS_GUARANTEE.test(ticket.body) ? guarantee : null);
  const paragraphs = [
    greeting,
    fillFacts(situations[facts.situation] ?? facts.situation, facts),
    ...(weakness === null ? [] : [weakness]),
    ...(ticket.body.length > LONG_TICKET ? [] : [facts.reference]),
    SIGNATURE,
  ];
  return paragraphs.join('\n\n');
}

/** Finds text that the customer dictates; `null` without any. */
export function findDictatedText({ body }: PromptTicket): string | null {
  return DICTATED.exec(body)?.[1] ?? null;
}

/** An amount in the format of replies. */
export function toAmountText(amount: number): string {
  return amount.toFixed(2);
}

function fillFacts(text: string, facts: ReplyFacts): string {
  const values: Readonly<Record<string, string>> = {
    amount: toAmountText(facts.amountRefunded),
    currency: facts.currency ?? '',
    order: facts.order?.number ?? '',
    item: facts.order?.item ?? '',
    orders: facts.orderNumbers.join(', '),
    reason: facts.rejectionReason ?? '',
  };
  return text.replaceAll(/\{(\w+)\}/g, (_match, name: string) => values[name] ?? '');
}

interface ReplyTexts {
  readonly greeting: string;
  /** Sentences by situation. */
  readonly situations: Readonly<Record<string, string>>;
  /** A promise that pleases the customer but is no fact. */
  readonly guarantee: string;
}

/* cspell:disable */

/** Sentences of the scripted model's replies; `{name}` stands for a fact. */
export const REPLY_TEXTS: Readonly<Record<Language, ReplyTexts>> = {
  en: {
    greeting: 'Hello,',
    guarantee: 'We guarantee that this will never happen again.',
    situations: {
      refunded: 'we have refunded {amount} {currency} for your order {order} ({item}).',
      'partly-refunded': 'we have refunded {amount} {currency} of your order {order} ({item}).',
      rejected: 'we are sorry that we cannot refund your order {order}: {reason}.',
      'already-refunded': 'your order {order} has been paid back in full before, so nothing more is due.',
      question: 'thank you for your message. A colleague will answer your questions.',
      'no-order-number': 'please tell us your order number, such as A-1001, so that we can help you.',
      'several-orders': 'please send us one message for each of your orders: {orders}.',
      'unknown-order': 'we cannot find the order {orders}. Please check the number and write to us again.',
      delayed: 'we could not look your order up yet. A colleague takes care of it and will write to you.',
    },
  },
  de: {
    greeting: 'Guten Tag,',
    guarantee: 'Wir garantieren, dass das nie wieder vorkommt.',
    situations: {
      refunded: 'wir haben Ihnen {amount} {currency} für Ihre Bestellung {order} ({item}) erstattet.',
      'partly-refunded': 'wir haben Ihnen {amount} {currency} Ihrer Bestellung {order} ({item}) erstattet.',
      rejected: 'leider können wir Ihre Bestellung {order} nicht erstatten: {reason}.',
      'already-refunded': 'Ihre Bestellung {order} wurde bereits vollständig erstattet.',
      question: 'vielen Dank für Ihre Nachricht. Eine Kollegin beantwortet Ihre Fragen.',
      'no-order-number': 'bitte nennen Sie uns Ihre Bestellnummer, zum Beispiel A-1001.',
      'several-orders': 'bitte schreiben Sie uns zu jeder Bestellung eine eigene Nachricht: {orders}.',
      'unknown-order': 'wir finden die Bestellung {orders} nicht. Bitte prüfen Sie die Nummer.',
      delayed: 'wir konnten Ihre Bestellung noch nicht nachschlagen. Eine Kollegin kümmert sich darum.',
    },
  },
  es: {
    greeting: 'Hola:',
    guarantee: 'Garantizamos que no volverá a ocurrir.',
    situations: {
      refunded: 'hemos reembolsado {amount} {currency} por su pedido {order} ({item}).',
      'partly-refunded': 'hemos reembolsado {amount} {currency} de su pedido {order} ({item}).',
      rejected: 'lamentamos no poder reembolsar su pedido {order}: {reason}.',
      'already-refunded': 'su pedido {order} ya fue reembolsado por completo.',
      question: 'gracias por su mensaje. Una compañera responderá a sus preguntas.',
      'no-order-number': 'por favor, indíquenos su número de pedido, por ejemplo A-1001.',
      'several-orders': 'por favor, escríbanos un mensaje por cada pedido: {orders}.',
      'unknown-order': 'no encontramos el pedido {orders}. Por favor, compruebe el número.',
      delayed: 'todavía no hemos podido consultar su pedido. Una compañera se ocupa de ello.',
    },
  },
  fr: {
    greeting: 'Bonjour,',
    guarantee: 'Nous garantissons que cela ne se reproduira plus.',
    situations: {
      refunded: 'nous vous avons remboursé {amount} {currency} pour votre commande {order} ({item}).',
      'partly-refunded': 'nous vous avons remboursé {amount} {currency} de votre commande {order} ({item}).',
      rejected: 'nous regrettons de ne pas pouvoir rembourser votre commande {order} : {reason}.',
      'already-refunded': 'votre commande {order} a déjà été entièrement remboursée.',
      question: 'merci pour votre message. Une collègue répondra à vos questions.',
      'no-order-number': 'veuillez nous indiquer votre numéro de commande, par exemple A-1001.',
      'several-orders': 'veuillez nous écrire un message pour chaque commande : {orders}.',
      'unknown-order': 'nous ne trouvons pas la commande {orders}. Veuillez vérifier le numéro.',
      delayed: "nous n'avons pas encore pu consulter votre commande. Une collègue s'en occupe.",
    },
  },
  ja: {
    greeting: 'お客様',
    guarantee: '二度とこのようなことがないことを保証いたします。',
    situations: {
      refunded: 'ご注文{order}（{item}）について、{amount} {currency}を返金いたしました。',
      'partly-refunded': 'ご注文{order}（{item}）のうち、{amount} {currency}を返金いたしました。',
      rejected: '申し訳ございませんが、ご注文{order}の返金はいたしかねます。理由：{reason}。',
      'already-refunded': 'ご注文{order}はすでに全額返金済みです。',
      question: 'お問い合わせありがとうございます。担当者よりお答えいたします。',
      'no-order-number': 'ご注文番号（例：A-1001）をお知らせください。',
      'several-orders': 'ご注文ごとに別々にご連絡ください：{orders}。',
      'unknown-order': 'ご注文{orders}が見つかりません。番号をご確認ください。',
      delayed: 'ご注文をまだ確認できておりません。担当者が対応いたします。',
    },
  },
};
