import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortName } from './short-name.ts';

test.each([
  ['main', 'main'],
  ['at::native::copy_(at::Tensor&, bool)', 'at::native::copy_(at::Tensor&, bool)'],
  ['at::native::copy_(at::Tensor&, at::Tensor const&, bool)', 'at::native::copy_(…)'],
  [
    'void at::native::gpu_kernel<at::native::BinaryFunctor<float, float> >(at::TensorIteratorBase&)',
    'at::native::gpu_kernel<…>(…)',
  ],
  [
    'llvm::Error llvm::make_error<llvm::StringError, std::error_code>(std::error_code&&)',
    'llvm::make_error<…>(…)',
  ],
  [
    'std::vector<int, std::allocator<int> >::operator=(std::vector<int, std::allocator<int> > const&)',
    'std::vector<…>::operator=(…)',
  ],
  [
    'std::basic_ostream<char, std::char_traits<char> >& std::operator<< <std::char_traits<char> >(char const*)',
    'std::operator<< <…>(…)',
  ],
  [
    '(anonymous namespace)::handler<int, unsigned long>(int, unsigned long, char const*)',
    '(anonymous namespace)::handler<…>(…)',
  ],
  [
    'auto f(std::basic_string_view<char>)::{lambda(auto:1 const&)#1}::operator()<int>(int const&) const',
    'f(…)::{…}::operator()<…>(…) const',
  ],
  ['at::native::copy_impl(at::Tensor&, bool) [clone .isra.0]', 'at::native::copy_impl(…)'],
  ['<alloc::vec::Vec<u8> as core::convert::From<&str>>::from::inner', '<…>::from::inner'],
  [
    'vtable for std::_Sp_counted_ptr<node::options_parser::OptionsParser<int>*>',
    'vtable for std::_Sp_counted_ptr<…>',
  ],
])('%s', (name, short) => expect(shortName(name)).toBe(short));

test('takes any text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(...'ab<>()[]{} ::,*&operator->='), maxLength: 80 }),
      (name) => {
        const short = shortName(name);
        expect(short.length).toBeLessThanOrEqual(2 * name.length);
        expect(short).not.toContain('undefined');
      },
    ),
  );
});
